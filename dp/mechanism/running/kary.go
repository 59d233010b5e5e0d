package running

import (
	"fmt"
	"math"

	"peerd.dev/dp/factor"
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/noise"
	"peerd.dev/dp/state"
)

// karyLayout is the layout of a [kary].
type karyLayout struct {
	factor.Kary
	t, terms uint64 // of the last requested sum, which is also its leaf's node
}

func newKaryLayout(n uint64) mechanism.Layout { return KaryLayout(factor.KaryFor(n)) }

// KaryLayout returns the layout of mechanism Kary with some base and levels.
func KaryLayout(a factor.Kary) mechanism.Layout { return &karyLayout{Kary: a} }

// Node is the sum of all leaves up to t.
func (l *karyLayout) Node(charged noise.Noise, t uint64) mechanism.Node {
	return mechanism.Node{Span: mechanism.Span{From: 0, To: t}, Noise: l.Sum(charged, t)}
}

func (l *karyLayout) Sum(charged noise.Noise, t uint64) noise.Noise {
	if l.t != t {
		l.t, l.terms = t, l.Terms(t)
	}
	return charged.Times(float64(l.terms))
}

func (l *karyLayout) Open(width int) mechanism.Stream {
	s := &kary{a: l.Kary, exact: make([]int64, width), level: make([]digit, l.Levels)}
	for j := range s.level {
		s.level[j].plus = make([]int64, width)
	}
	return s
}

func karyL1(n uint64) uint64 { return uint64(factor.KaryFor(n).Levels) }

// kary is the mechanism of signed digits ([factor.Kary]) with Laplace noise. For leaf t it draws
// the noisy running sum itself: the exact sum plus the noise of the nodes that the digits of t
// add, minus the noise of the nodes that they subtract. The latter include later leaves; they are
// ahead. The noise of single nodes is hidden. See docs/proofs/kary.md.
type kary struct {
	a        factor.Kary
	exact    []int64 // running sum; private
	level    []digit // of the leaves closed
	adjusted bool    // exact was adjusted to what was drawn over other records
}

// digit is one level of a kary. All noise is private, width entries per node.
type digit struct {
	d     int64   // the digit
	plus  []int64 // Σ noise of the d > 0 added nodes
	ahead []int64 // noise of the |d| subtracted nodes, the earliest first
}

func (s *kary) Close(a mechanism.Leaf, d mechanism.Drawer, node, sum []int64) (uint64, error) {
	if s.adjusted && d.Recorded() == nil {
		return 0, fmt.Errorf("%w: it was replayed with other records than its own, and draws nothing more", mechanism.ErrReplay)
	}
	s.step(d)
	if d.Short() {
		return 0, fmt.Errorf("%w: leaf %d without its hidden noise", mechanism.ErrReplay, a.T)
	}
	for i, x := range a.Sums {
		s.exact[i] += x
		y := s.exact[i] + s.noise(i)
		if d.Recorded() != nil {
			s.adjust(i, d.Recorded()[i]-y)
			y = d.Recorded()[i]
		}
		node[i], sum[i] = y, y
	}
	return a.Total, nil
}

// adjust adds x to the exact sum if other records were drawn over, as in the twins of peerd
// audit. Then everything drawn with the same noise stays the same.
func (s *kary) adjust(i int, x int64) {
	s.exact[i] += x
	s.adjusted = s.adjusted || x != 0
}

// step adds 1 to the digits. The level to which it carries adds a new node, or has one less
// ahead; all nodes of lower levels are ahead.
func (s *kary) step(d mechanism.Drawer) {
	m, c, width := int64(s.a.Base-1)/2, 0, len(s.exact)
	for ; s.level[c].d == m; c++ {
	}
	for j := range c {
		l := &s.level[j]
		l.d, l.ahead = -m, make([]int64, m*int64(width))
		for i := range l.ahead {
			l.ahead[i] = d.Hide()
		}
		clear(l.plus)
	}
	l := &s.level[c]
	if l.d < 0 {
		l.ahead = l.ahead[width:]
	} else {
		for i := range l.plus {
			l.plus[i] += d.Hide()
		}
	}
	l.d++
}

// noise returns the noise of entry i of the running sum.
func (s *kary) noise(i int) (sum int64) {
	width := len(s.exact)
	for j := range s.level {
		sum += s.level[j].plus[i]
		for at := i; at < len(s.level[j].ahead); at += width {
			sum -= s.level[j].ahead[at]
		}
	}
	return sum
}

// Fields visits the levels' noise; a stream at its end needs none.
func (s *kary) Fields(v *state.Visitor, a mechanism.Leaf, of mechanism.Charged) {
	if a.T == a.Horizon {
		return
	}
	if v.Loading() {
		for j, d := range s.a.Digits(a.T) {
			s.level[j].d, s.level[j].ahead = d, make([]int64, max(0, -d)*int64(len(a.Sums)))
		}
	}
	v.Bool(&s.adjusted)
	v.Vector(s.exact, math.MaxInt64)
	for _, l := range s.level {
		v.Vector(l.plus, mechanism.MaxValue)
		v.Vector(l.ahead, mechanism.MaxValue)
	}
	v.Check(of.Holds(s.exact, a.Total), "sums that no %d records have", a.Total)
}
