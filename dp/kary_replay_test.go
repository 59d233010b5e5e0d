package dp

import (
	"fmt"
	"math"
	"testing"

	"peerd.dev/dp/factor"
)

// replayed returns one sum of a stream with digits -2, -1, 1 after a replay that told of
// two heads only what they are with all nodes ahead at 0: two nodes lie ahead on level 0,
// one on level 1 and another one was there, the head of level 1.
func replayed(scale uint64, first, second int64) *kary {
	return &kary{
		intake: intake{width: 1, leaves: 62, noise: Noise{Laplace, scale, Term}, arena: new(arena)},
		a:      factor.Kary{Base: 5, Levels: 3}, exact: make([]int64, 1), stale: true,
		level: []digit{
			{d: -2, plus: make([]int64, 1), ahead: make([]int64, 2), head: make([]int64, 1), carry: 1},
			{d: -1, plus: make([]int64, 1), ahead: make([]int64, 1), head: []int64{first}, carry: 2},
			{d: 1, plus: []int64{second}, head: []int64{second}, added: true},
		},
	}
}

// TestRedrawnNoiseHasTheConditionalLaw adds up the law over all values that fit and
// compares it with what is drawn, where little and where much is known. Without
// tilts it would take e^8 attempts or more in the last case. It rejects a correct law once
// in 2000 seeds (24 fits).
func TestRedrawnNoiseHasTheConditionalLaw(t *testing.T) {
	const scale, reach = 2, 60
	src := seeded(6)
	for _, known := range [][2]int64{{0, 0}, {3, -4}, {-9, 12}, {20, 30}} {
		var laws [4]map[int64]float64
		for i := range laws {
			laws[i] = map[int64]float64{}
		}
		one := func(x int64) float64 { return math.Exp(-math.Abs(float64(x)) / scale) }
		all := 0.
		for a := int64(-reach); a <= reach; a++ {
			for b := int64(-reach); b <= reach; b++ {
				first := known[0] + a + b
				p := one(a) * one(b) * one(first)
				for c := int64(-reach); c <= reach; c++ {
					second := known[1] + a + b + c
					q := p * one(c) * one(second)
					all += q
					for i, x := range []int64{a, first, c, second} {
						laws[i][x] += q
					}
				}
			}
		}
		drawn := make([][4]int64, draws/40)
		for n := range drawn {
			s := replayed(scale, known[0], known[1])
			before := s.sum(0)
			s.redraw(src)
			if s.sum(0) != before {
				t.Fatalf("the noise of the sum was %d and is %d", before, s.sum(0))
			}
			l := s.level
			drawn[n] = [4]int64{l[0].ahead[0], l[1].head[0], l[1].ahead[0], l[2].head[0]}
		}
		for i, name := range []string{"node of level 0", "first head", "node of level 1", "second head"} {
			mode := int64(0)
			for x, p := range laws[i] {
				if p > laws[i][mode] || p == laws[i][mode] && x < mode {
					mode = x
				}
			}
			n := -1
			z, k := fit(len(drawn), func() int64 { n++; return drawn[n][i] - mode }, func(x int64) float64 { return laws[i][x+mode] / all })
			checkLaw(t, fmt.Sprint(known, ", ", name), z, k)
		}
	}
}

// TestNoiseIsFoundHoweverGreatItWas: redrawing takes no time that grows as the
// reciprocal of the probability of what was drawn, exp(-80) here.
func TestNoiseIsFoundHoweverGreatItWas(t *testing.T) {
	src := seeded(7)
	for _, known := range [][2]int64{{40 << 20, 40 << 20}, {-40 << 20, 40 << 20}, {40 << 20, -40 << 20}} {
		for range 100 {
			replayed(1<<20, known[0], known[1]).redraw(src)
		}
	}
}

// lived returns a stream of kary that closed leaf t of n and has drawn, and one that
// replayed that. Both pass over the leaves between carries, after which a replay
// knows the nodes that were ahead.
func lived(n, t uint64, width int, src *Source) (drew, replayed *kary) {
	c := &Charge{Leaves: n}
	in := intake{width: width, leaf: make([]int64, width), leaves: n, noise: Noise{Laplace, 1 << 22, Term}, arena: new(arena)}
	drew, replayed = newKary(in, c).(*kary), newKary(in, c).(*kary)
	d := drew.a.Digits(t)
	for j := len(d) - 1; j >= 0; j-- {
		for drew.level[j].d != d[j] {
			for i := range j {
				for at, z := range drew.level[i].ahead {
					l := &replayed.level[i]
					x := z - l.ahead[at]
					for l = &replayed.level[l.carry]; !l.added; l = &replayed.level[l.carry] {
						l.head[at%width] += x
					}
					l.head[at%width] += x
					l.plus[at%width] += x
				}
				for _, s := range []*kary{drew, replayed} {
					s.level[i].d, s.level[i].ahead = int64(s.a.Base-1)/2, nil
				}
			}
			drew.step(func(v []int64) {
				for i := range v {
					v[i] = src.Laplace(1 << 22)
				}
			})
			c := replayed.step(func(v []int64) { clear(v) })
			for i := range width {
				replayed.adjust(i, c, drew.sum(i)-replayed.sum(i))
			}
		}
	}
	drew.t, replayed.t = t, t
	return drew, replayed
}

// worstLeaf returns a leaf after which most noise is known only together: its digits
// are half of the least.
func worstLeaf(a factor.Kary) (t uint64) {
	t = 1
	for range a.Levels - 1 {
		t = t*a.Base - (a.Base+1)/4
	}
	return t
}

// TestRedrawnNoiseAddsUp over the longest horizon: noise that is redrawn gives the sum
// that was drawn, and every node ahead and every head has its variance. Five deviations
// of a mean of squares are exceeded once in 10^4 seeds, of some hundred nodes.
func TestRedrawnNoiseAddsUp(t *testing.T) {
	src := seeded(8)
	for _, n := range []uint64{1 << 16, 1 << 20, MaxLeaves} {
		width := 500
		if n == MaxLeaves {
			width = 50 // 30 ms each
		}
		drew, s := lived(n, worstLeaf(factor.KaryFor(n)), width, src)
		s.redraw(src)
		for i := range width {
			if s.sum(i) != drew.sum(i) {
				t.Fatalf("%d leaves: noise of %d, drawn was %d", n, s.sum(i), drew.sum(i))
			}
		}
		for j, l := range s.level {
			for at := 0; at < len(l.ahead)+width; at += width {
				square := 0.
				for _, x := range append(l.ahead[:len(l.ahead):len(l.ahead)], l.head...)[at : at+width] {
					square += float64(x) * float64(x) / (2 << 44) / float64(width)
				}
				if math.Abs(square-1) > 5*math.Sqrt(5/float64(width)) && (j > 0 || at < len(l.ahead)) {
					t.Errorf("%d leaves: node %d of level %d has %.3f of its variance", n, at/width, j, square)
				}
			}
		}
	}
}

// BenchmarkRedraw measures one entry after the worst leaf.
func BenchmarkRedraw(b *testing.B) {
	for _, e := range []int{16, 20, 24, 30} {
		b.Run(fmt.Sprint("2^", e), func(b *testing.B) {
			src := seeded(9)
			for b.Loop() {
				b.StopTimer()
				_, s := lived(1<<e, worstLeaf(factor.KaryFor(1<<e)), 1, src)
				b.StartTimer()
				s.redraw(src)
			}
		})
	}
}

// TestKaryRefusesHeadsThatLeadNowhere: from every level with nodes ahead the carries that
// put them there lead up to a node that is added; a state in which they lead round in
// circles would have a replay go on for ever.
func TestKaryRefusesHeadsThatLeadNowhere(t *testing.T) {
	c := &Charge{Leaves: 1 << 16}
	in := intake{width: 1, leaf: make([]int64, 1), leaves: c.Leaves, noise: Noise{Laplace, 1 << 22, Term}, arena: new(arena)}
	a := factor.KaryFor(c.Leaves)
	base := int64(a.Base)
	in.t = uint64(base*base*base - base + (base-1)/2) // digits m, -1, 0, 1
	for _, x := range []struct {
		name   string
		change func(level []digit)
		want   bool
	}{
		{"as it was", func([]digit) {}, true},
		{"level 2 leads to level 1, which leads to level 2", func(l []digit) { l[2].carry = 1 }, false},
		{"level 2 leads to itself", func(l []digit) { l[2].carry = 2 }, false},
	} {
		_, s := lived(c.Leaves, in.t, 1, seeded(10))
		x.change(s.level)
		r := newReader(append([]byte{stateVersion}, s.append(nil)...))
		newKary(in, c).(*kary).read(r, c)
		if err := r.end(); (err == nil) != x.want {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}
