package dp

import (
	"math"

	"peerd.dev/dp/factor"
	"peerd.dev/dp/state"
)

// maxSqrtLeaves bounds the horizon of the square root, which keeps all leaves and goes
// through them at every leaf.
const maxSqrtLeaves = 1 << 14

// rootLayout is the layout of a [root] over a number of leaves.
type rootLayout struct{ leaves uint64 }

func newRootLayout(n uint64) layout { return &rootLayout{n} }

// node is of all leaves up to t.
func (*rootLayout) node(charged Noise, t uint64) node { return node{Span{0, t}, 1, charged} }

func (*rootLayout) sum(charged Noise, t uint64) Noise { return charged.times(factor.SqrtVariance(t)) }

func (l *rootLayout) open(_ int, a *arena) streamMechanism { return &root{f: a.root(l.leaves)} }

func rootL2(n uint64) float64 { return factor.NewSqrt(n).Column().Float() }

// roundingSlack bounds the L2 norm of what rounding adds to the difference of what two
// histories draw: less than 1 for every value, and 2^-30 for the buffers of a [blt].
func roundingSlack(n uint64, width int) float64 {
	return math.Sqrt(float64(n)*float64(width)) * (1 + 0x1p-29)
}

// root is the square-root factorization ([factor.Sqrt]) with Gaussian noise. Closing leaf
// t draws y_t = (C·x)_t + z_t, rounded to the grid; the running sum is (B·y)_t. See
// docs/proofs/sqrt.md.
type root struct {
	f     factor.Sqrt
	exact []int64 // sums of the leaves, width entries each; private
	noisy []int64 // what was drawn, width entries a leaf
}

func (s *root) close(a *accumulator, d *drawer, node, sum []int64) (uint64, error) {
	s.exact = append(s.exact, a.leaf...)
	for i := range node {
		node[i] = d.noisy(a, i, s.product(s.exact, i, a.width))
	}
	s.noisy = append(s.noisy, node...)
	for i := range sum {
		sum[i] = s.product(s.noisy, i, a.width)
	}
	return a.total, nil
}

// product returns entry i of the newest row of the square root times v, of width numbers a
// leaf, rounded. The products and their sum are exact.
func (s *root) product(v []int64, i, width int) int64 {
	last := len(v) - width + i
	sum := factor.Whole(v[last])
	for k, at := 0, last-width; at >= 0; k, at = k+1, at-width {
		sum = sum.Plus(factor.Share(v[at], s.f[k]))
	}
	return sum.Round()
}

func (s *root) fields(v *state.Visitor, a *accumulator, c *Charge) {
	n := v.Len(len(s.exact))
	if v.Check(uint64(n) <= a.t*uint64(a.width) && n%a.width == 0, "%d sums of %d leaves of %d", n, a.t, a.width); !v.OK() {
		return
	}
	if v.Loading() {
		s.exact, s.noisy = make([]int64, n), make([]int64, n)
	}
	ints(v, s.exact)
	values(v, s.noisy)
	all := make([]int64, a.width)
	for i, x := range s.exact {
		all[i%a.width] += x
	}
	v.Check(c.sumsOf(all, a.total), "sums that no %d records have", a.total)
}
