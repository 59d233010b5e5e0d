package audit

import (
	"errors"

	"peerd.dev/dp"
)

// A book is what the auditor knows of a peer: the exact sums under its nodes, in the
// history that was played and in the other one, given the same choices.
type book struct {
	peer   int
	charge dp.Charge
	open   [][2]int64   // by stream: sums of the open leaf in both histories
	leaf   [][][2]int64 // by stream: running sums after every leaf
}

// A drawnNode is a node with what was under it.
type drawnNode struct {
	peer, stream int
	from, to     uint64
	value        int64
	exact        [2]int64 // in both histories
	side         int      // which of them was played
}

// noise returns what was added.
func (n *drawnNode) noise() int64 { return n.value - n.exact[n.side] }

// errTwice says that a node came where its leaf was closed already.
var errTwice = errors.New("a leaf that is not the next one")

func newBook(peer, arms int, c dp.Charge) book {
	b := book{peer: peer, charge: c, open: make([][2]int64, arms), leaf: make([][][2]int64, arms)}
	for s := range b.leaf {
		b.leaf[s] = make([][2]int64, 1)
	}
	return b
}

// enter books a step of a play, with its nodes.
func (b *book) enter(p *play, s *step) error {
	for side := range 2 {
		x := float64(s.reward)
		if b.peer == 0 {
			x = p.canary.reward(side, uint64(s.round), int(s.arm))
		}
		q, err := dp.Quantize(x, 0, 1)
		if err != nil {
			return err
		}
		b.open[s.arm][side] += q
	}
	for _, r := range s.drawn {
		if err := b.charge.Covers(r.Fields()); err != nil {
			return err
		}
		k, span := int(r.Stream()), r.Span()
		closed := b.leaf[k]
		if span.To != uint64(len(closed)) {
			return errTwice
		}
		n := drawnNode{peer: b.peer, stream: k, from: span.From, to: span.To, value: r.Value(0), side: p.side}
		if b.peer > 0 {
			n.side = 0 // there is one history
		}
		sum := closed[len(closed)-1]
		for side := range sum {
			sum[side] += b.open[k][side]
			n.exact[side] = sum[side] - closed[span.From][side]
		}
		b.open[k], b.leaf[k] = [2]int64{}, append(closed, sum)
		p.t.nodes = append(p.t.nodes, n)
	}
	return nil
}
