package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/node/network"
	"peerd.dev/node/site"
	"peerd.dev/protocol"
)

// membership returns what the peer's site needs to know about the network.
func (t *Deployment) membership() site.Membership {
	m := site.Membership{
		Peers: len(t.Network.Peers), Neighbours: t.Links,
		ID: func(p protocol.Peer) string { return t.Network.Peers[p].FirstID() }, Name: t.name,
		Agent: t.agent, Half: t.half,
	}
	if t.Network.Document != nil {
		m.Document, _ = json.Marshal(t.Network.Document) // a document can be encoded
	}
	if !t.idle() {
		m.Arms, m.Absent = t.actions.Names, t.actions.Absent
	}
	for _, p := range t.Network.Peers {
		if p.Standing == network.Gone {
			m.Gone = append(m.Gone, p.FirstID())
		}
	}
	return m
}

// membershipOf returns the membership in a network document.
func (t *Deployment) membershipOf(document []byte) (site.Membership, error) {
	d, other := new(network.Document), *t
	if err := json.Unmarshal(document, d); err != nil {
		return site.Membership{}, config.Failf(config.ErrRefused, "the network with which this folder worked: %w", err)
	}
	if err := other.settle(config.NetworkOf(d)); err != nil {
		return site.Membership{}, err
	}
	return other.membership(), nil
}

// errGone is wrapped by the error of a peer that is no longer part of the network.
var errGone = fmt.Errorf("%w: no part in the network", config.ErrRefused)

const (
	tradeEvery = time.Second // at most, while there is something new
	tradeSome  = 16          // with how many peers, in addition to neighbours and signers, a peer exchanges what is new
)

// follow takes part in changes of the network document: it exchanges what is known of it with
// other peers, and changes to what is new.
func (p *live) follow(ctx context.Context) error {
	tick := time.NewTicker(tradeEvery)
	defer tick.Stop()
	var shown []byte
	idle := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		p.record.roll.Confirm(p.site.Current())
		notice, awaits := p.documentNotice()
		if p.noticed != notice && notice != "" {
			p.log.Warn("network document", "notice", notice)
		}
		p.noticed = notice
		d, err := p.record.Newest()
		if deployment, _ := p.now(); err == nil && d != deployment.Network.Document && d.Hash() != deployment.Network.Document.Hash() {
			err = p.change(ctx)
		} else if err == nil {
			err = p.rotate()
		}
		if errors.Is(err, config.ErrNetwork) || errors.Is(err, errGone) {
			return err
		}
		p.complain(err)
		summary, err := p.record.Summary()
		p.complain(err)
		news := !bytes.Equal(summary, shown)
		if err != nil || !news && time.Since(idle) < gossip.TradeEvery(len(p.others(0))) {
			continue
		}
		switch {
		case len(awaits) > 0:
			p.spread(ctx, 0)
		case news:
			p.spread(ctx, tradeSome)
		default:
			p.spread(ctx, 1)
		}
		shown, idle = summary, time.Now()
	}
}

// others returns some other peers with which to exchange, in random order; 0 for all. News of a large network takes some hops: it goes to
// neighbours and signers, and to few others, who pass it on.
func (p *live) others(some int) []protocol.Peer {
	deployment, _ := p.now()
	var to []protocol.Peer
	for i := range deployment.Network.Peers {
		if m := &deployment.Network.Peers[i]; protocol.Peer(i) != deployment.Self && !m.Absent() {
			to = append(to, protocol.Peer(i))
		}
	}
	rand.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] }) //nolint:forbidigo // nothing depends on it
	if some == 0 || len(to) <= some {
		return to
	}
	chosen := to[:some:some]
	for _, i := range to[some:] {
		if some == tradeSome && (slices.Contains(deployment.Links, i) || deployment.Network.Document.SignerAt(int(i)) != nil) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// spread exchanges the document, and the checkpoints that are remembered here, with some other peers; see others.
func (p *live) spread(ctx context.Context, some int) {
	deployment, host := p.now()
	to := p.others(some)
	heard := make([]error, len(to)) // of the document
	var all sync.WaitGroup
	for n, i := range to {
		all.Go(func() {
			if heard[n] = host.TradeDocument(ctx, i); heard[n] != nil {
				p.log.Debug("network document", "peer", deployment.Network.Peers[i].Name, "err", heard[n])
			} else if missed := errors.Join(host.TradeMemories(ctx, i), host.CompareClock(ctx, i)); missed != nil {
				p.log.Debug("checkpoints or clock", "peer", deployment.Network.Peers[i].Name, "err", missed)
			}
		})
	}
	all.Wait()
	if len(to) == len(p.others(0)) {
		var places []int
		for n, i := range to {
			if heard[n] == nil {
				places = append(places, int(i))
			}
		}
		p.record.roll.Add(places)
	}
	if ahead, _ := host.Ahead(); WrongClock(ahead, deployment.Network.Every) == "" {
		p.clock = false
	} else if !p.clock {
		p.clock = true
		p.log.Warn("clock", "err", WrongClock(ahead, deployment.Network.Every))
	}
}

// complain logs, once, what keeps the peer from a version of the network.
func (p *live) complain(err error) {
	if err == nil {
		return
	}
	if text := err.Error(); text != p.complaint {
		p.complaint = text
		p.log.Error("network document", "err", err)
	}
}

// change changes to the newest version of the network: first the site, so that messages belong to
// that version, then the links. The other peers are shown the version before the links end.
func (p *live) change(ctx context.Context) error {
	p.spread(ctx, tradeSome)
	deployment, _ := p.now()
	d, err := p.record.Newest()
	if err != nil {
		return err
	}
	if d.Peers[deployment.Self].Standing == network.Gone {
		return config.Failf(errGone, "this peer left the network in version %d of its document, or was removed", d.Version)
	}
	next, err := NewDeployment(deployment.s)
	if err != nil {
		return err
	}
	next.Record, next.sites = p.record, deployment.sites
	if next.id != deployment.id {
		if err = p.record.Rekey(next.id); err != nil {
			return err
		}
	}
	if err = p.site.SetMembership(next.membership()); err != nil {
		return err
	}
	err = p.links.replace(func() (*gossip.Host, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.deployment = next
		c, failed := p.hostConfig()
		if failed != nil {
			return nil, failed
		}
		h, failed := gossip.NewHost(c)
		if failed == nil {
			p.host = h
		}
		return h, failed
	})
	if err != nil {
		return config.Failf(config.ErrNetwork, "%w", err)
	}
	p.log.Info("the network changed", "version", d.Version, "peers", len(next.Links)+1)
	return nil
}
