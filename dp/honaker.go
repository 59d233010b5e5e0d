package dp

import (
	"encoding/binary"
	"math/bits"

	"peerd.dev/dp/factor"
)

// honaker is the binary tree with running sums by the estimate from below (Honaker
// 2015). Closing leaf t draws the nodes of all levels that end there, from the leaf's
// own up to z = (trailing zeros of t); see docs/proofs/honaker.md. A node's estimate
// weights its own noisy value and the sum of its halves' estimates by their variances,
// and the running sum is that of the newest estimates at the set bits of t.
type honaker struct {
	intake
	n     []uint64       // records under the node that each level keeps
	alpha []int64        // exact sums, width entries a level; private
	guess []factor.Fixed // estimates, width entries a level
	exact []int64        // scratch
}

func newHonaker(n intake, c *Charge) running {
	l := factor.TreeLevels(c.Leaves)
	return &honaker{
		intake: n,
		n:      make([]uint64, l),
		alpha:  make([]int64, l*n.width),
		guess:  make([]factor.Fixed, l*n.width),
		exact:  make([]int64, n.width),
	}
}

// honakerNode is what closing leaf t draws: the nodes that end there, the leaf's own
// first. The span is that of the last one.
func honakerNode(charged Noise, _, t uint64) node {
	return node{Span{t & (t - 1), t}, bits.TrailingZeros64(t) + 1, charged}
}

func honakerSum(charged Noise, _, t uint64) Noise {
	return charged.times(factor.HonakerVariance(t))
}

func (h *honaker) draws() int { return h.width * (bits.TrailingZeros64(h.t+1) + 1) }

func (h *honaker) close(src *Source, given []int64, out *Leaf) {
	k, w := h.t+1, h.width
	z := bits.TrailingZeros64(k)
	nodes, sum := h.arena.values.take(h.draws()), h.arena.values.take(w)
	n := h.take(h.exact)
	for i := range w {
		exact := h.exact[i]
		var guess factor.Fixed
		for l := range z + 1 {
			if l > 0 { // half is the left one of the two that make this node
				half := (l-1)*w + i
				exact += h.alpha[half]
				guess = guess.Plus(h.guess[half])
				h.alpha[half], h.guess[half] = 0, factor.Fixed{}
			}
			noisy := &nodes[l*w+i]
			if given != nil {
				*noisy = given[l*w+i]
			} else {
				*noisy = exact + h.draw(src, h.noise.Scale)
			}
			own := factor.Whole(*noisy)
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
	for l := range z {
		n += h.n[l]
		h.n[l] = 0
	}
	h.n[z] = n

	counts := h.arena.counts.take(2)
	counts[0], counts[1] = n, h.total
	out.Node = Release{h.id, Span{k & (k - 1), k}, counts[:1:1], nodes, GridExponent, h.noise}
	out.Sum = Release{h.id, Span{0, k}, counts[1:2:2], sum, GridExponent, honakerSum(h.noise, h.leaves, k)}
}

func (h *honaker) append(b []byte) []byte {
	for _, n := range h.n {
		b = binary.AppendUvarint(b, n)
	}
	return appendFixed(appendInts(b, h.alpha), h.guess)
}

func (h *honaker) read(r *reader, c *Charge) {
	total := uint64(0)
	for l := range h.n {
		h.n[l] = min(r.uint(), maxRecords+1)
		total += h.n[l]
	}
	r.ints(h.alpha)
	r.fixed(h.guess)
	for l, n := range h.n {
		if n > maxRecords || !c.sumsOf(h.alpha[l*h.width:(l+1)*h.width], n) {
			r.fail()
		}
	}
	if total != h.total {
		r.fail()
	}
}
