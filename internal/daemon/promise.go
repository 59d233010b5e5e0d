package daemon

import (
	"context"
	"sync"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
)

// Explain returns what settings promise, as it is shown at a time. It is nil unless an extra sets it: then the API refuses to say it.
var Explain func(s *config.Settings) (func(now time.Time) api.Privacy, error) //nolint:gochecknoglobals // an extra sets it in its init

// promise keeps what a deployment promises: it takes a while to compute.
type promise struct {
	mu   sync.Mutex
	of   *Deployment
	says func(now time.Time) api.Privacy
}

// Privacy implements [api.Backend].
func (p *Daemon) Privacy(context.Context) (api.Privacy, error) {
	if Explain == nil {
		return api.Privacy{}, &decision.Refusal{Code: decision.Unknown, Reason: "this program has no words for what a peer promises"}
	}
	t, _ := p.now()
	p.promise.mu.Lock()
	defer p.promise.mu.Unlock()
	if p.promise.of != t {
		says, err := Explain(t.s)
		if err != nil {
			return api.Privacy{}, err
		}
		p.promise.of, p.promise.says = t, says
	}
	return p.promise.says(time.Now()), nil
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
