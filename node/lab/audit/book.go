package audit

import (
	"peerd.dev/bandit"
	"peerd.dev/dp"
)

// A book is what the auditor knows of a peer: what its nodes would be without noise, in
// the history that was played and in the other one, given the same choices.
type book struct {
	peer    int
	charge  dp.Charge
	learner bandit.Learner // computes updates
	shadow  *shadow
	kary    []*kary // by stream; nil for other mechanisms
}

// A drawnNode is one number with noise of its own, with what this lies on. It is what was
// drawn, or, for kary, follows from that.
type drawnNode struct {
	peer, stream int
	from, to     uint64
	place        int // among the numbers that its leaf drew
	noise        dp.Noise
	value        int64
	exact        [2]int64 // in both histories
	side         int      // which of them was played
	open         bool     // hidden by other noise so far: value is nothing
	chosen       bool     // whether it stayed so was chosen by who knew a part of its noise
}

// added returns the noise.
func (n *drawnNode) added() int64 { return n.value - n.exact[n.side] }

// shift returns by how much the histories differ in the node, given the same choices.
func (n *drawnNode) shift() int64 { return n.exact[1] - n.exact[0] }

// newBook returns that of a peer with a charge. Peers but the first have one history.
func newBook(peer int, c dp.Charge, streams blank, s *setting) (b book, err error) {
	b = book{peer: peer, charge: c}
	if c.Streams == 0 { // it has a role and no arms
		return b, nil
	}
	histories := 1
	if peer == 0 {
		histories = 2
	}
	for range c.Streams {
		b.kary = append(b.kary, newKary(&c, s.chosen()))
	}
	b.shadow, err = streams.shadow(histories)
	return b, err
}

// enter books a step of a play, with its nodes. The error says that the charge does not
// pay for one, or that its leaf is not the next one.
func (b *book) enter(p *play, s *step) error {
	route := s.Route
	if s.absent { // where the record would have gone
		part := b.learner.Part(s.Pull.Arm)
		route.Stream, route.In = dp.StreamID(p.canary.setting.cadence.Stream(part, b.learner.Statistic().Parts, s.round)), true
	}
	if route.In {
		err := b.shadow.add(route.Stream, func(side int) []float64 {
			pull := s.Pull
			if b.peer == 0 {
				if p.canary.absent(side, uint64(s.round)) {
					return nil
				}
				pull.Reward = bandit.Reward(p.canary.reward(side, uint64(s.round), int(pull.Arm)))
				if side != p.side && p.canary.comes(uint64(s.round)) {
					pull.Features = p.canary.context(side)
				}
			}
			return b.learner.Update(pull, nil)
		})
		if err != nil {
			return err
		}
	}
	side := 0
	if b.peer == 0 {
		side = p.side
	}
	for _, r := range s.drawn {
		nodes, err := b.draw(r, side)
		if err != nil {
			return err
		}
		p.t.nodes = append(p.t.nodes, nodes...)
	}
	return nil
}

// draw books what closing a leaf drew, and returns the nodes that are known by it.
func (b *book) draw(r dp.Release, side int) ([]drawnNode, error) {
	if err := b.charge.Covers(r.Fields()); err != nil {
		return nil, err
	}
	exact, err := b.shadow.leaf(r.Stream(), r.Span().To)
	if err != nil {
		return nil, err
	}
	nodes := make([]drawnNode, r.Len())
	for i := range nodes {
		n := drawnNode{
			peer: b.peer, stream: int(r.Stream()), from: r.Span().From, to: r.Span().To,
			place: i, noise: r.Noise(), value: r.Value(i), side: side,
		}
		for side := range exact {
			n.exact[side] = exact[side][i]
		}
		nodes[i] = n
	}
	if k := b.kary[r.Stream()]; k != nil {
		nodes = k.leaf(nodes)
	}
	return nodes, nil
}

// end books what a play leaves open.
func (b *book) end(p *play) {
	for _, k := range b.kary {
		if k != nil {
			p.t.nodes = append(p.t.nodes, k.open()...)
		}
	}
}
