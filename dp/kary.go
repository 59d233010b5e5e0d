package dp

import (
	"encoding/binary"

	"peerd.dev/dp/factor"
)

// kary is the mechanism of digits of either sign ([factor.Kary]) with Laplace noise. What
// it draws for leaf t is the noisy running sum itself: the exact one, the noise of nodes
// that the digits of t add, less that of nodes that they take off. The latter, which
// hold leaves to come, lie ahead. See docs/proofs/kary.md.
type kary struct {
	intake
	a     factor.Kary
	exact []int64 // running sum; private
	level []digit // of the leaves closed
	stale bool    // noise is one that fits what was drawn, but not drawn by its law
}

// digit is one level of a kary. All noise is private, width entries a node.
type digit struct {
	d     int64   // the digit
	plus  []int64 // Σ noise of the d > 0 nodes that are added
	ahead []int64 // noise of the |d| nodes that are taken off, the earliest first

	// With the carry to a level from those below, their nodes ahead and this level's
	// next node came to be known by one number, in which the latter counts as head.
	head  []int64
	added bool // head is one of the nodes added; else it was ahead itself
	carry int  // the level to which the carry went that put the nodes ahead
}

func newKary(n intake, c *Charge) running {
	s := &kary{intake: n, a: factor.KaryFor(c.Leaves), exact: make([]int64, n.width)}
	s.level = make([]digit, s.a.Levels)
	for j := range s.level {
		s.level[j].plus, s.level[j].head = make([]int64, n.width), make([]int64, n.width)
	}
	return s
}

func karyL1(n uint64) uint64 { return uint64(factor.KaryFor(n).Levels) }

func karySum(charged Noise, n, t uint64) Noise {
	return charged.times(float64(factor.KaryFor(n).Terms(t)))
}

func karyNode(charged Noise, n, t uint64) node { return node{Span{0, t}, 1, karySum(charged, n, t)} }

func (s *kary) draws() int { return s.width }

func (s *kary) close(src *Source, given []int64, out *Leaf) {
	draw := func(v []int64) {
		for i := range v {
			v[i] = 0
			if given == nil {
				v[i] = s.draw(src, s.noise.Scale)
			}
		}
	}
	if given == nil && s.stale {
		s.redraw(src)
	}
	s.stale = given != nil
	y := s.arena.values.take(s.width)
	s.take(y)
	c := s.step(draw)
	for i := range y {
		s.exact[i] += y[i]
		y[i] = s.exact[i] + s.sum(i)
		if given != nil {
			s.adjust(i, c, given[i]-y[i])
			y[i] = given[i]
		}
	}
	s.out(y, y, s.noise.times(float64(s.a.Terms(s.t))), out)
	out.Node = out.Sum
}

// step adds 1 to the digits and returns the level to which it carries. That level adds
// a new node, or has one less ahead; those below have all their nodes ahead.
func (s *kary) step(draw func([]int64)) (c int) {
	m := int64(s.a.Base-1) / 2
	for ; s.level[c].d == m; c++ {
	}
	for j := range c {
		l := &s.level[j]
		l.d, l.carry, l.ahead = -m, c, make([]int64, m*int64(s.width))
		draw(l.ahead)
		clear(l.plus)
	}
	l := &s.level[c]
	if l.added = l.d >= 0; l.added {
		draw(l.head)
		for i, x := range l.head {
			l.plus[i] += x
		}
	} else {
		copy(l.head, l.ahead)
		l.ahead = l.ahead[s.width:]
	}
	l.d++
	return c
}

// sum returns the noise of entry i of the running sum.
func (s *kary) sum(i int) (sum int64) {
	for j := range s.level {
		sum += s.level[j].plus[i]
		for at := i; at < len(s.level[j].ahead); at += s.width {
			sum -= s.level[j].ahead[at]
		}
	}
	return sum
}

// append encodes the level's noise; a stream at its end has none to come.
func (s *kary) append(b []byte) []byte {
	if s.t == s.leaves {
		return b
	}
	b = appendBool(b, s.stale)
	b = appendInts(b, s.exact)
	for _, l := range s.level {
		b = appendInts(appendInts(appendInts(b, l.plus), l.ahead), l.head)
		b = binary.AppendUvarint(appendBool(b, l.added), uint64(l.carry))
	}
	return b
}

func (s *kary) read(r *reader, c *Charge) {
	if s.t == s.leaves {
		return
	}
	s.stale = r.bool()
	r.ints(s.exact)
	for j, d := range s.a.Digits(s.t) {
		l := &s.level[j]
		l.d, l.ahead = d, make([]int64, max(0, -d)*int64(s.width))
		for _, v := range [][]int64{l.plus, l.ahead, l.head} {
			r.ints(v)
			for _, x := range v {
				if !within(x) {
					r.fail()
				}
			}
		}
		l.added = r.bool()
		if l.carry = r.size(); l.carry >= len(s.level) || l.carry <= j && d < 0 {
			r.fail()
			return
		}
	}
	if !c.sumsOf(s.exact, s.total) {
		r.fail()
	}
	for j, l := range s.level {
		if s.t > 0 && (l.d < 0 || j == 0 && !l.added) && !s.leads(j) {
			r.fail()
		}
	}
}

// leads reports whether carries lead up from a level to one whose head is added, as adjust
// takes it that they do.
func (s *kary) leads(level int) bool {
	for {
		up := s.level[level].carry
		if up <= level {
			return false
		}
		if level = up; s.level[level].added {
			return true
		}
	}
}

func appendBool(b []byte, x bool) []byte {
	if x {
		return append(b, 1)
	}
	return append(b, 0)
}
