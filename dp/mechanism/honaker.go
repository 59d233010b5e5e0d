package mechanism

import (
	"math"
	"math/bits"

	"peerd.dev/dp/factor"
	"peerd.dev/dp/noise"
	"peerd.dev/dp/state"
)

// honakerLayout is the layout of a [honaker] over a number of leaves.
type honakerLayout struct{ leaves uint64 }

func newHonakerLayout(n uint64) Layout { return &honakerLayout{n} }

// Node has all nodes that end at leaf t, the leaf's own first. The span is the last one's.
func (*honakerLayout) Node(charged noise.Noise, t uint64) Node {
	return Node{Span{t & (t - 1), t}, bits.TrailingZeros64(t) + 1, charged}
}

func (*honakerLayout) Sum(charged noise.Noise, t uint64) noise.Noise {
	return charged.Times(factor.HonakerVariance(t))
}

func (l *honakerLayout) Open(width int) Stream {
	levels := factor.TreeLevels(l.leaves)
	return &honaker{
		n:     make([]uint64, levels),
		alpha: make([]int64, levels*width),
		guess: make([]factor.Fixed, levels*width),
	}
}

// honaker is the binary tree with running sums by the estimate from below (Honaker 2015). Closing
// leaf t draws the nodes of all levels that end there, from the leaf's own up to z = (trailing
// zeros of t); see docs/proofs/honaker.md. A node's estimate weights its own noisy value and the
// sum of its halves' estimates by their variances; the running sum is the sum of the newest
// estimates at the set bits of t.
type honaker struct {
	n     []uint64       // records under the node that each level keeps
	alpha []int64        // exact sums, width entries per level; private
	guess []factor.Fixed // estimates, width entries per level
}

func (h *honaker) Close(a Leaf, d Drawer, nodes, sum []int64) (uint64, error) {
	z, w := bits.TrailingZeros64(a.T), len(a.Sums)
	for i, exact := range a.Sums {
		var guess factor.Fixed
		for l := range z + 1 {
			if l > 0 { // half is the left half of this node
				half := (l-1)*w + i
				exact += h.alpha[half]
				guess = guess.Plus(h.guess[half])
				h.alpha[half], h.guess[half] = 0, factor.Fixed{}
			}
			nodes[l*w+i] = d.Noisy(l*w+i, exact)
			own := factor.Whole(nodes[l*w+i])
			if l > 0 {
				own = guess.Plus(own.Minus(guess).Times(factor.HonakerWeight(l)))
			}
			guess = own
		}
		h.alpha[z*w+i], h.guess[z*w+i] = exact, guess
		all := factor.Fixed{}
		for l := range h.n {
			all = all.Plus(h.guess[l*w+i])
		}
		sum[i] = all.Round()
	}
	return mergeCounts(h.n, z, a.Records), nil
}

func (h *honaker) Fields(v *state.Visitor, a Leaf, of Charged) {
	total := levelRecords(v, h.n)
	v.Vector(h.alpha, math.MaxInt64)
	fixed(v, h.guess)
	ok := total == a.Total
	for l, n := range h.n {
		ok = ok && of.Holds(h.alpha[l*len(a.Sums):(l+1)*len(a.Sums)], n)
	}
	v.Check(ok, "nodes that no %d records have", a.Total)
}
