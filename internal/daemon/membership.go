package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
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
// other peers, and changes to new versions.
func (p *live) follow(ctx context.Context) error {
	if err := p.record.With((*network.Book).Forget); err != nil {
		return err
	}
	tick := time.NewTicker(tradeEvery)
	defer tick.Stop()
	var shown string
	idle := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var newest *network.Document
		var waits bool
		p.record.roll.Confirm(p.site.Current())
		err := p.record.With(func(b *network.Book) error {
			newest, waits = b.Newest(), len(b.Awaits()) > 0
			return nil
		})
		if notice, _ := p.documentNotice(); notice != p.noticed {
			if p.noticed = notice; notice != "" {
				p.log.Warn("network document", "notice", notice)
			}
		}
		if deployment, _ := p.now(); err == nil && newest != deployment.Network.Document && newest.Hash() != deployment.Network.Document.Hash() {
			err = p.change(ctx)
		} else if err == nil {
			if wrong := p.rotate(); wrong != nil {
				p.complain(wrong)
			}
		}
		if errors.Is(err, config.ErrNetwork) || errors.Is(err, errGone) {
			return err
		}
		if err != nil {
			p.complain(err)
			continue
		}
		summary, err := p.record.Summary()
		if err != nil {
			p.complain(err)
			continue
		}
		if string(summary) == shown && time.Since(idle) < gossip.TradeEvery(len(p.others(all))) {
			continue
		}
		switch {
		case waits:
			p.spread(ctx, all)
		case string(summary) != shown:
			p.spread(ctx, some)
		default:
			p.spread(ctx, one)
		}
		shown, idle = string(summary), time.Now()
	}
}

// audience is with how many peers a peer exchanges at once what it knows.
type audience int

const (
	one  audience = iota // nothing is new
	some                 // something is new
	all                  // a signer waits until it has heard all
)

// others returns other peers with which to exchange, in random order. News of a large network takes some hops: it goes to neighbours, between signers, and to
// few others, who pass it on.
func (p *live) others(a audience) []protocol.Peer {
	deployment, _ := p.now()
	var to []protocol.Peer
	for i := range deployment.Network.Peers {
		if m := &deployment.Network.Peers[i]; protocol.Peer(i) != deployment.Self && !m.Absent() {
			to = append(to, protocol.Peer(i))
		}
	}
	rand.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] }) //nolint:forbidigo // nothing depends on it
	if a == one {
		return to[:min(1, len(to))]
	}
	if a == all || len(to) <= tradeSome {
		return to
	}
	near := slices.Clone(deployment.Links)
	_ = p.record.With(func(b *network.Book) error { // others report an error
		for _, place := range b.Newest().SignerPlaces() {
			near = append(near, protocol.Peer(place))
		}
		return nil
	})
	chosen := to[:tradeSome:tradeSome]
	for _, i := range to[tradeSome:] {
		if slices.Contains(near, i) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// spread shows the record, and the checkpoints that are remembered here, to other peers, and hears theirs.
func (p *live) spread(ctx context.Context, a audience) {
	deployment, host := p.now()
	type result struct {
		peer protocol.Peer
		err  error // of the document
	}
	to, results := p.others(a), make(chan result)
	for _, i := range to {
		go func() {
			err := host.TradeDocument(ctx, i)
			if err == nil {
				if missed := errors.Join(host.TradeMemories(ctx, i), host.CompareClock(ctx, i)); missed != nil {
					p.log.Debug("checkpoints or clock", "peer", deployment.Network.Peers[i].Name, "err", missed)
				}
			}
			results <- result{i, err}
		}()
	}
	var heard []int
	for range to {
		if x := <-results; x.err == nil {
			heard = append(heard, int(x.peer))
		} else {
			p.log.Debug("network document", "peer", deployment.Network.Peers[x.peer].Name, "err", x.err)
		}
	}
	if a == all || a == some && len(to) == len(p.others(all)) {
		p.record.roll.Add(heard)
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
	if text := err.Error(); text != p.complaint {
		p.complaint = text
		p.log.Error("network document", "err", err)
	}
}

// change changes to the newest version of the network: first the site, so that messages belong to
// that version, then the links. The other peers are shown the version before the links end.
func (p *live) change(ctx context.Context) error {
	p.spread(ctx, some)
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
