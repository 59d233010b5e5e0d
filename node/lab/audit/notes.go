package audit

import (
	"peerd.dev/bandit"
	"peerd.dev/dp"
)

// notes are what the auditor knows of a peer: the values of its nodes without noise, in the
// history that was played and in the other one, given the same choices.
type notes struct {
	peer    int
	charge  dp.Charge
	learner bandit.Learner // computes updates
	shadow  *shadow
	kary    []*kary // by stream; nil for other mechanisms
}

// A drawnNode is one number with noise of its own, and the value under the noise. It is what was
// drawn or, for kary, follows from that.
type drawnNode struct {
	peer, stream int
	from, to     uint64
	place        int // index among the numbers that its leaf drew
	noise        dp.Noise
	value        int64
	exact        [2]int64 // in both histories
	side         int      // which history was played
	open         bool     // hidden by other noise so far, so value is unset
	chosen       bool     // whether it stayed so was chosen by someone who knew part of its noise
}

// added returns the noise.
func (n *drawnNode) added() int64 { return n.value - n.exact[n.side] }

// shift returns the difference between the histories in the node, given the same choices.
func (n *drawnNode) shift() int64 { return n.exact[1] - n.exact[0] }

// newNotes returns the notes about a peer with a charge. Peers except the first have one history.
func newNotes(peer int, c dp.Charge, streams blank, s *setting) (b notes, err error) {
	b = notes{peer: peer, charge: c}
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

// enter records a step of a play, with its nodes. It returns an error if the charge does not pay
// for a node, or if its leaf is not the next one.
func (b *notes) enter(p *play, s *step) error {
	route := s.Route
	if s.absent { // the stream that the record would have entered
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

// draw records what closing a leaf drew, and returns the nodes that become known.
func (b *notes) draw(r dp.Release, side int) ([]drawnNode, error) {
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

// end records what a play leaves open.
func (b *notes) end(p *play) {
	for _, k := range b.kary {
		if k != nil {
			p.t.nodes = append(p.t.nodes, k.open()...)
		}
	}
}
