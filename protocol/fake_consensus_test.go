package protocol

import (
	"math"

	"peerd.dev/dp"
)

// fakeConsensusPeer is running consensus (Li, Song and Fragouli 2020, equations
// 5 to 7): n ← P(n+ξ), s ← P(s+ds). P has Metropolis weights: a link moves
// 1/(1+max of both degrees) of the difference of its ends. Both ends compute the
// same ⌊…⌋ from the same two messages; one adds it, the other subtracts it. So Σs
// and Σn are conserved exactly.
//
// A lost message would leave P not doubly stochastic. Here it only takes longer:
// a peer begins round r+1 when it has everybody's round r, and whoever hears from
// a peer that is a round behind sends it the old state again.
type fakeConsensusPeer struct {
	stateless

	c            Config
	den          []uint64     // by neighbour: 1 + max of both degrees
	state        *dp.Mixed    // s of every arm, then n of every arm
	round        uint64       // of consensus, from 1
	sent, before dp.Release   // the state in this round and in the last
	got, next    []dp.Release // by neighbour: its state in this round and in the next
	fresh        []dp.Release // running sums to enter with the next round
}

func newFakeConsensus(c Config, _ fakeParams) (Protocol, error) {
	p := &fakeConsensusPeer{c: c, state: dp.NewMixed(2*c.Parts, dp.GridExponent), stateless: about(c.Parts, 1)}
	for _, n := range c.Neighbours() {
		p.den = append(p.den, 1+uint64(max(len(c.Neighbours()), len(c.Graph[n]))))
	}
	p.got, p.next = make([]dp.Release, len(p.den)), make([]dp.Release, len(p.den))
	return p, nil
}

func (p *fakeConsensusPeer) Released(own []Own, _ *Outbox) error {
	for _, o := range own {
		if !o.Over {
			p.fresh = append(p.fresh, o.Leaf.Sum)
		}
	}
	return nil
}

func (p *fakeConsensusPeer) Tick(_ Round, out *Outbox) error {
	if p.round > 0 && p.complete() {
		for i, n := range p.c.Neighbours() {
			if err := p.flow(p.got[i], n, p.den[i]); err != nil {
				return err
			}
		}
		for k := range p.belief.X {
			if n := p.state.At(p.c.Parts + k); n > 0 {
				p.belief.X[k], p.belief.SampleVar[k] = p.state.At(k)/n, 1/(n*float64(p.c.Peers()))
			}
		}
	}
	if p.round == 0 || p.complete() {
		for _, r := range p.fresh { // ds and ξ: what the running sum and the count grew by
			n, err := counted(r, dp.GridExponent)
			if err != nil {
				return err
			}
			if err := p.state.Replace(int(r.Stream()), r); err != nil {
				return err
			}
			if err := p.state.Replace(p.c.Parts+int(r.Stream()), n); err != nil {
				return err
			}
		}
		p.fresh = p.fresh[:0]
		p.round++
		p.before, p.sent = p.sent, p.state.Release()
		p.got, p.next = p.next, make([]dp.Release, len(p.den))
	}
	for _, n := range p.c.Neighbours() {
		p.tell(n, p.round, p.sent, out)
	}
	return nil
}

// flow applies the link to neighbour n, whose state was x when this one's was sent.
func (p *fakeConsensusPeer) flow(x dp.Release, n Peer, den uint64) error {
	low, high := p.sent, x
	if n < p.c.Self {
		low, high = x, p.sent
	}
	d, err := difference(high, low, 1, den)
	if err != nil {
		return err
	}
	if n < p.c.Self {
		return p.state.Sub(d)
	}
	return p.state.Add(d)
}

func (p *fakeConsensusPeer) Receive(from Peer, m Message, out *Outbox) error {
	i := indexOf(p.c.Neighbours(), from)
	switch {
	case i < 0 || m.kind != fakeConsensus || m.label.Origin != from:
		return m.bad("no neighbour's state")
	case len(m.body) != 1 || m.body[0].Len() != 2*p.c.Parts || m.body[0].Exponent() != dp.GridExponent || tooGreat(m.body[0]):
		return m.bad("want sums and counts of %d arms", p.c.Parts)
	}
	switch m.label.Seq {
	case p.round:
		p.got[i] = m.body[0]
	case p.round + 1:
		p.next[i] = m.body[0]
	case p.round - 1:
		if !p.before.Empty() {
			p.tell(from, p.round-1, p.before, out)
		}
	}
	return nil
}

func (p *fakeConsensusPeer) tell(to Peer, round uint64, x dp.Release, out *Outbox) {
	out.send(to, Message{&message{kind: fakeConsensus, label: Label{Origin: p.c.Self, Seq: round}, body: []dp.Release{x}}})
}

func (p *fakeConsensusPeer) complete() bool {
	for _, r := range p.got {
		if r.Empty() {
			return false
		}
	}
	return true
}

// tooGreat keeps a liar's numbers from running into this peer's own arithmetic.
func tooGreat(r dp.Release) bool {
	for i := range r.Len() {
		if math.Abs(r.At(i)) > 1<<28 {
			return true
		}
	}
	return false
}
