package dp

import (
	"encoding/binary"
	"math"

	"peerd.dev/dp/factor"
)

// maxSqrtLeaves bounds the horizon of the square root, which keeps all leaves and goes
// through them at every leaf.
const maxSqrtLeaves = 1 << 14

// root is the square-root factorization ([factor.Sqrt]) with Gaussian noise. Closing leaf
// t draws y_t = (C·x)_t + z_t, rounded to the grid; the running sum is (B·y)_t. See
// docs/proofs/sqrt.md.
type root struct {
	intake
	f     factor.Sqrt
	exact []int64 // sums of the leaves, width entries each; private
	noisy []int64 // what was drawn, width entries a leaf
}

func newRoot(n intake, c *Charge) running {
	return &root{intake: n, f: n.arena.root(c.Leaves)}
}

func rootL2(n uint64) float64 { return factor.NewSqrt(n).Column().Float() }

func rootSum(charged Noise, _, t uint64) Noise { return charged.times(factor.SqrtVariance(t)) }

// roundingSlack bounds the L2 norm of what rounding adds to the difference of what two
// histories draw: less than 1 for every value, and 2^-30 for the buffers of a [blt].
func roundingSlack(n uint64, width int) float64 {
	return math.Sqrt(float64(n)*float64(width)) * (1 + 0x1p-29)
}

// prefixNode is of all leaves up to t.
func prefixNode(charged Noise, _, t uint64) node { return node{Span{0, t}, 1, charged} }

func (s *root) draws() int { return s.width }

func (s *root) close(src *Source, given []int64, out *Leaf) {
	w := s.width
	y, sum := s.arena.values.take(w), s.arena.values.take(w)
	s.take(y)
	s.exact = append(s.exact, y...)
	for i := range w {
		if given != nil {
			y[i] = given[i]
		} else {
			y[i] = s.product(s.exact, i) + s.draw(src, s.noise.Scale)
		}
	}
	s.noisy = append(s.noisy, y...)
	for i := range w {
		sum[i] = s.product(s.noisy, i)
	}
	s.out(y, sum, rootSum(s.noise, s.leaves, s.t), out)
}

// product returns entry i of the newest row of the square root times v, rounded. The
// products and their sum are exact.
func (s *root) product(v []int64, i int) int64 {
	last := len(v) - s.width + i
	sum := factor.Whole(v[last])
	for k, at := 0, last-s.width; at >= 0; k, at = k+1, at-s.width {
		sum = sum.Plus(factor.Share(v[at], s.f[k]))
	}
	return sum.Round()
}

// out writes what leaf t drew and the running sum decoded from it.
func (n *intake) out(y, sum []int64, noise Noise, out *Leaf) {
	counts := n.arena.counts.take(1)
	counts[0] = n.total
	out.Node = Release{n.id, Span{0, n.t}, counts, y, GridExponent, n.noise}
	out.Sum = Release{n.id, Span{0, n.t}, counts, sum, GridExponent, noise}
}

func (s *root) append(b []byte) []byte {
	return appendInts(appendInts(binary.AppendUvarint(b, uint64(len(s.exact))), s.exact), s.noisy)
}

func (s *root) read(r *reader, c *Charge) {
	n := r.uint()
	if n > s.t*uint64(s.width) || n%uint64(s.width) != 0 || n > uint64(len(r.b)) {
		r.fail()
		return
	}
	s.exact, s.noisy = make([]int64, n), make([]int64, n)
	r.ints(s.exact)
	r.ints(s.noisy)
	all := make([]int64, s.width)
	for i, x := range s.exact {
		all[i%s.width] += x
	}
	if !c.sumsOf(all, s.total) {
		r.fail()
	}
	for _, y := range s.noisy {
		if !within(y) {
			r.fail()
		}
	}
}
