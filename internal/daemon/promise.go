package daemon

import (
	"context"
	"sync"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/explain"
	"peerd.dev/node/api"
)

// promise keeps what a deployment promises: it takes a while to compute.
type promise struct {
	mu  sync.Mutex
	of  *Deployment
	doc *explain.Document
}

// Privacy implements [api.Backend].
func (p *Daemon) Privacy(context.Context) (api.Privacy, error) {
	t, _ := p.now()
	p.promise.mu.Lock()
	defer p.promise.mu.Unlock()
	if p.promise.of != t {
		doc, err := explain.New(&config.Config{Settings: *t.s}, time.Time{})
		if err != nil {
			return api.Privacy{}, err
		}
		p.promise.of, p.promise.doc = t, doc
	}
	doc := p.promise.doc
	doc.Head.Printed = time.Now().UTC()
	page := api.Privacy{
		Private: doc.Private, Compared: doc.Unit.Neighbours, Public: doc.Public, NotCovered: doc.NotCovered,
		Heading: doc.Heading(), Sections: doc.Sections(t.s),
	}
	if b := doc.Budget; b != nil {
		page.Epsilon, page.Delta = b.Epsilon, b.Delta
	}
	return page, nil
}

// Network implements [api.Backend].
func (p *Daemon) Network(context.Context) (api.Network, error) {
	t, _ := p.now()
	n := t.Network
	doc := api.Network{Name: n.Name, Version: n.Version, Start: n.Start, Every: n.Every.Seconds(), Least: t.least, Actions: []string{}, Retired: n.Retired, Links: [][]uint32{}}
	for _, name := range t.actions.Names {
		if name != "" {
			doc.Actions = append(doc.Actions, name)
		}
	}
	for i, m := range n.Peers {
		doc.Places = append(doc.Places, api.Place{Peer: uint32(i), Name: m.Name, ID: m.ID, Standing: string(m.Standing)})
	}
	for _, l := range n.Links {
		doc.Links = append(doc.Links, []uint32{uint32(l[0]), uint32(l[1])})
	}
	return doc, nil
}
