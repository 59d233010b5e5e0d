package protocol

import (
	"slices"

	"peerd.dev/bandit/belief"
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
	round  Round       // of the next decision
	newest [][]Message // by estimator and origin; news of more hops replaces news of less
	fresh  []Message   // own, of this round
}

func newFakeLocal(c Config, s fakeParams) (Protocol, error) {
	p := &fakeLocalPeer{c: c, gamma: s.Gamma, stateless: about(1, c.Width/2)}
	for range p.gamma {
		p.newest = append(p.newest, slices.Repeat([]Message{noMessage()}, c.Peers()))
	}
	return p, nil
}

// Released makes news of the estimator whose turn it is.
func (p *fakeLocalPeer) Released(own []Own, _ *Outbox) error {
	for _, o := range own {
		if o.Over {
			continue
		}
		m := Message{&message{
			kind:  fakeNews,
			label: Label{Origin: p.c.Self, Incarnation: p.c.Incarnation, Stream: o.Stream, Seq: o.Number},
			hops:  uint8(p.gamma), // outside the signature: every forwarder takes one off
			body:  []dp.Release{o.Leaf.Sum},
		}}
		m.sig = p.c.Keys.Sign(appendContent(nil, m.message))
		p.newest[o.Stream][p.c.Self] = m
		p.fresh = append(p.fresh, m)
	}
	return nil
}

// Tick sends the news of round t: after the reward of t, usable before the decision of t+h
// at h hops.
func (p *fakeLocalPeer) Tick(t Round, out *Outbox) error {
	p.round = t + 1
	for _, m := range p.fresh {
		p.forward(m, p.c.Self, out)
	}
	p.fresh = p.fresh[:0]
	return nil
}

func (p *fakeLocalPeer) forward(m Message, from Peer, out *Outbox) {
	if m.hops == 0 {
		return
	}
	m = changed(m, func(m *message) { m.hops-- })
	for _, n := range p.c.Neighbours() {
		if n != from && n != m.label.Origin {
			out.send(n, m)
		}
	}
}

func (p *fakeLocalPeer) Receive(from Peer, m Message, out *Outbox) error {
	switch {
	case m.kind != fakeNews || indexOf(p.c.Neighbours(), from) < 0:
		return m.bad("no neighbour's news")
	case uint64(m.hops) >= p.gamma || uint64(m.label.Stream) >= p.gamma || int(m.label.Origin) >= p.c.Peers():
		return m.bad("no way that news can come")
	case len(m.refs) > 0 || len(m.sealed) > 0 || m.round != 0 || len(m.body) != 1 || m.body[0].Len() != p.c.Width || m.body[0].Exponent() != dp.GridExponent:
		return m.bad("want one sum of %d numbers", p.c.Width)
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
func (p *fakeLocalPeer) Belief() *belief.Belief {
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
func believe(b *belief.Belief, total dp.Release) {
	b.SampleVar[0] = inf
	for k := range b.X {
		b.X[k] = 0
		if n := total.At(k); n > 0 {
			b.X[k] = total.At(len(b.X)+k) / n
			b.SampleVar[0] = 1 / float64(max(1, total.Count(0)))
		}
	}
}
