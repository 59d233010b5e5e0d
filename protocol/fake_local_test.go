package protocol

import (
	"errors"
	"slices"

	"peerd.dev/dp"
)

// fakeLocalPeer is the LOCAL form of FedUCB (Dubey and Pentland 2020, Algorithm
// 3): news lives for γ hops and moves one a round. There are γ estimators; round t
// feeds and uses estimator t mod γ alone, so that news from the far end of the ball
// is in when its estimator's turn comes again. Every record lies in exactly one
// estimator's stream, so the streams are parallel.
//
// The statistic is one vector for all arms and the pulls in it are noised like the
// rewards, as in LinUCB's V: the count of a Release is only the number of records.
type fakeLocalPeer struct {
	stateless

	c      Config
	gamma  uint64
	round  Round       // that the next pull belongs to
	newest [][]Message // by estimator and origin; news of more hops replaces news of less
	belief Belief
}

func newFakeLocal(c Config, s setting) (Protocol, error) {
	p := &fakeLocalPeer{c: c, gamma: s.fake.Gamma, belief: newBelief(c.Arms)}
	for range p.gamma {
		p.newest = append(p.newest, slices.Repeat([]Message{noMessage()}, c.Peers))
	}
	return p, nil
}

// Route sends the one part of the statistic to the estimator whose turn it is.
func (p *fakeLocalPeer) Route(int) (dp.StreamID, bool) {
	return dp.StreamID(uint64(p.round) % p.gamma), true
}

func (p *fakeLocalPeer) Pulled(arm int, _ *Outbox) error {
	p.belief.Pulls[arm]++
	return nil
}

// Tick releases round t's estimator: sent after the reward of t, usable before the
// decision of t+h at h hops.
func (p *fakeLocalPeer) Tick(t Round, out *Outbox) error {
	g := uint64(t) % p.gamma
	p.round = t + 1
	leaf, err := p.c.Draw.Leaf(dp.StreamID(g), uint64(t)/p.gamma+1)
	if err != nil {
		return atHorizon(err)
	}
	m := Message{&message{
		kind:  fakeNews,
		label: Label{Origin: p.c.Self, Incarnation: p.c.Incarnation, Stream: dp.StreamID(g), Seq: leaf.Sum.Span().To},
		hops:  uint8(p.gamma), // outside the signature: every forwarder takes one off
		body:  []dp.Release{leaf.Sum},
	}}
	m.sig = p.c.Keys.Sign(appendContent(nil, m.message))
	p.newest[g][p.c.Self] = m
	p.forward(m, p.c.Self, out)
	return nil
}

func (p *fakeLocalPeer) forward(m Message, from Peer, out *Outbox) {
	if m.hops == 0 {
		return
	}
	m = changed(m, func(m *message) { m.hops-- })
	for _, n := range p.c.Neighbours {
		if n != from && n != m.label.Origin {
			out.send(n, m)
		}
	}
}

func (p *fakeLocalPeer) Receive(from Peer, m Message, out *Outbox) error {
	switch {
	case m.kind != fakeNews || indexOf(p.c.Neighbours, from) < 0:
		return m.bad("no neighbour's news")
	case uint64(m.hops) >= p.gamma || uint64(m.label.Stream) >= p.gamma || int(m.label.Origin) >= p.c.Peers:
		return m.bad("no way that news can come")
	case len(m.refs) > 0 || len(m.sealed) > 0 || m.round != 0 || len(m.body) != 1 || m.body[0].Len() != 2*p.c.Arms || m.body[0].Exponent() != dp.GridExponent:
		return m.bad("want one sum of %d numbers", 2*p.c.Arms)
	case !p.c.Keys.Verify(m.label.Origin, appendContent(nil, m.message), m.sig):
		return m.bad("not signed by its origin")
	}
	old := &p.newest[m.label.Stream][m.label.Origin]
	switch {
	case m.label.Origin == p.c.Self, old.kind != 0 && newer(old.label, m.label):
		return nil // old news
	case m.label == old.label && m.hops <= old.hops:
		return nil // known, and known to travel as far
	}
	*old = m // the newest prefix stands for all before it: adding both would count twice
	p.forward(m, from, out)
	return nil
}

// Belief adds up the ball's newest prefixes in the estimator of the coming round.
func (p *fakeLocalPeer) Belief() *Belief {
	var rs []dp.Release
	for _, m := range p.newest[uint64(p.round)%p.gamma] {
		if m.kind != 0 {
			rs = append(rs, m.body[0])
		}
	}
	if total, err := sum(rs...); err == nil {
		believe(&p.belief, total)
	}
	return &p.belief
}

// believe reads a vector of noised pulls and noised rewards.
func believe(b *Belief, total dp.Release) {
	for k := range b.Mean {
		b.Mean[k], b.Spread[k] = 0, inf
		if n := total.At(k); n > 0 {
			b.Mean[k], b.Spread[k] = total.At(len(b.Mean)+k)/n, 1/n
		}
	}
}

// atHorizon turns the end of the budget into silence.
func atHorizon(err error) error {
	if errors.Is(err, dp.ErrHorizon) {
		return nil
	}
	return err
}

func indexOf(ps []Peer, p Peer) int { return slices.Index(ps, p) }
