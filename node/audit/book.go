package audit

import "peerd.dev/dp"

// A book is what the auditor knows of a peer: what its nodes would be without noise, in
// the history that was played and in the other one, given the same choices.
type book struct {
	peer   int
	charge dp.Charge
	shadow *shadow
}

// A drawnNode is one number that was drawn, with what its noise lies on.
type drawnNode struct {
	peer, stream int
	from, to     uint64
	place        int // among the numbers that its leaf drew
	noise        dp.Noise
	value        int64
	exact        [2]int64 // in both histories
	side         int      // which of them was played
}

// added returns the noise.
func (n *drawnNode) added() int64 { return n.value - n.exact[n.side] }

// own reports whether the noise is one term, which no other node has. Else it is made of
// terms that other nodes have, too, and what a record moves does not follow from nodes
// one by one.
func (n *drawnNode) own() bool { return n.noise.Terms == dp.Term }

// shift returns by how much the histories differ in the node, given the same choices.
func (n *drawnNode) shift() int64 { return n.exact[1] - n.exact[0] }

// newBook returns that of a peer with a charge. Peers but the first have one history.
func newBook(peer int, c dp.Charge, streams blank) (b book, err error) {
	b = book{peer: peer, charge: c}
	histories := 1
	if peer == 0 {
		histories = 2
	}
	b.shadow, err = streams.shadow(histories)
	return b, err
}

// enter books a step of a play, with its nodes. The error says that the charge does not
// pay for one, or that its leaf is not the next one.
func (b *book) enter(p *play, s *step) error {
	err := b.shadow.add(dp.StreamID(s.arm), func(side int) float64 {
		if b.peer == 0 {
			return p.canary.reward(side, uint64(s.round), int(s.arm))
		}
		return float64(s.reward)
	})
	if err != nil {
		return err
	}
	for _, r := range s.drawn {
		if err := b.charge.Covers(r.Fields()); err != nil {
			return err
		}
		exact, err := b.shadow.leaf(r.Stream(), r.Span().To)
		if err != nil {
			return err
		}
		for i := range r.Len() {
			n := drawnNode{
				peer: b.peer, stream: int(r.Stream()), from: r.Span().From, to: r.Span().To,
				place: i, noise: r.Noise(), value: r.Value(i), side: p.side,
			}
			if b.peer > 0 {
				n.side = 0
			}
			for side := range exact {
				n.exact[side] = exact[side][i]
			}
			p.t.nodes = append(p.t.nodes, n)
		}
	}
	return nil
}
