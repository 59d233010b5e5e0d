package running

import (
	"math"

	"peerd.dev/dp/factor"
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/noise"
	"peerd.dev/dp/state"
)

// maxSqrtLeaves bounds the horizon of the square root, which keeps all leaves and processes them
// at every leaf.
const maxSqrtLeaves = 1 << 14

// rootLayout is the layout of a [root] over a number of leaves.
type rootLayout struct {
	leaves uint64
	f      factor.Sqrt // nil before a stream is opened; all streams share it
}

func newRootLayout(n uint64) mechanism.Layout { return &rootLayout{leaves: n} }

// Node covers all leaves up to t.
func (*rootLayout) Node(charged noise.Noise, t uint64) mechanism.Node {
	return mechanism.Node{Span: mechanism.Span{From: 0, To: t}, Noise: charged}
}

func (*rootLayout) Sum(charged noise.Noise, t uint64) noise.Noise {
	return charged.Times(factor.SqrtVariance(t))
}

func (l *rootLayout) Open(int) mechanism.Stream {
	if l.f == nil {
		l.f = factor.NewSqrt(l.leaves)
	}
	return &root{f: l.f}
}

func rootL2(n uint64) float64 { return factor.NewSqrt(n).Column().Float() }

// roundingSlack bounds the L2 norm of what rounding adds to the difference of what two histories
// draw: less than 1 for every value, and 2^-30 for the buffers of a [blt].
func roundingSlack(n uint64, width int) float64 {
	return math.Sqrt(float64(n)*float64(width)) * (1 + 0x1p-29)
}

// root is the square-root factorization ([factor.Sqrt]) with Gaussian noise. Closing leaf
// t draws y_t = (C·x)_t + z_t, rounded to the grid; the running sum is (B·y)_t. See
// docs/proofs/sqrt.md.
type root struct {
	f     factor.Sqrt
	exact []int64 // sums of the leaves, width entries each; private
	noisy []int64 // what was drawn, width entries per leaf
}

func (s *root) Close(a mechanism.Leaf, d mechanism.Drawer, node, sum []int64) (uint64, error) {
	s.exact = append(s.exact, a.Sums...)
	for i := range node {
		node[i] = d.Noisy(i, s.product(s.exact, i, len(a.Sums)))
	}
	s.noisy = append(s.noisy, node...)
	for i := range sum {
		sum[i] = s.product(s.noisy, i, len(a.Sums))
	}
	return a.Total, nil
}

// product returns entry i of the product of the square root's newest row with v, of width numbers
// per leaf, rounded. The products and their sum are exact.
func (s *root) product(v []int64, i, width int) int64 {
	last := len(v) - width + i
	sum := factor.Whole(v[last])
	for k, at := 0, last-width; at >= 0; k, at = k+1, at-width {
		sum = sum.Plus(factor.Share(v[at], s.f[k]))
	}
	return sum.Round()
}

func (s *root) Fields(v *state.Visitor, a mechanism.Leaf, of mechanism.Charged) {
	n := v.Len(len(s.exact))
	if v.Check(uint64(n) <= a.T*uint64(len(a.Sums)) && n%len(a.Sums) == 0, "%d sums of %d leaves of %d", n, a.T, len(a.Sums)); !v.OK() {
		return
	}
	if v.Loading() {
		s.exact, s.noisy = make([]int64, n), make([]int64, n)
	}
	v.Vector(s.exact, math.MaxInt64)
	v.Vector(s.noisy, mechanism.MaxValue)
	all := make([]int64, len(a.Sums))
	for i, x := range s.exact {
		all[i%len(a.Sums)] += x
	}
	v.Check(of.Holds(all, a.Total), "sums that no %d records have", a.Total)
}
