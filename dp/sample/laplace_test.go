package sample

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

func laplaceLaw(t float64) func(int64) float64 {
	p0 := math.Tanh(1 / (2 * t))
	return func(x int64) float64 { return p0 * math.Exp(-math.Abs(float64(x))/t) }
}

// TestLaplaceHasItsLaw rejects a correct sampler once in 10^4 seeds (six fits).
func TestLaplaceHasItsLaw(t *testing.T) {
	s := NewSeededSource([32]byte{1})
	for _, scale := range []uint64{1, 2, 3, 7, 20, 100} {
		z, k := fit(draws, func() int64 { return s.Laplace(scale) }, laplaceLaw(float64(scale)))
		checkLaw(t, fmt.Sprint("scale ", scale), z, k)
	}
}

// TestTheFitRejectsWrongLaplaces shows which wrong distributions the fit detects: the same draws
// must not pass for these.
func TestTheFitRejectsWrongLaplaces(t *testing.T) {
	s := NewSeededSource([32]byte{2})
	for _, c := range []struct {
		name  string
		scale uint64
		draw  func(scale uint64) int64
	}{
		{"scale 2 % up", 100, func(scale uint64) int64 { return s.Laplace(scale + scale/50) }},
		{"scale 2 % down", 100, func(scale uint64) int64 { return s.Laplace(scale - scale/50) }},
		{"one in fifty made positive", 20, func(scale uint64) int64 { return s.biased(s.Laplace(scale)) }},
		{"-0 counted", 1, s.laplaceWithMinusZero},
		{"-0 counted", 20, s.laplaceWithMinusZero},
		{"-0 counted", 100, s.laplaceWithMinusZero},
		{"never negative", 20, func(scale uint64) int64 { x := s.Laplace(scale); return max(x, -x) }},
		{"odd numbers twice as often", 100, func(scale uint64) int64 {
			x := s.Laplace(scale)
			for x&1 == 0 && s.Uint64()&1 == 0 {
				x = s.Laplace(scale)
			}
			return x
		}},
	} {
		z, k := fit(draws, func() int64 { return c.draw(c.scale) }, laplaceLaw(float64(c.scale)))
		t.Logf("%s at %d: χ² of %d degrees of freedom has z = %.1f", c.name, c.scale, k, z)
		if z < 2*badFit {
			t.Errorf("%s at %d: z = %.2f, want at least %v", c.name, c.scale, z, 2*badFit)
		}
	}
}

// laplaceWithMinusZero draws 0 twice as often as it should be drawn.
func (s *Source) laplaceWithMinusZero(scale uint64) int64 {
	for {
		if x := s.Laplace(scale); x == 0 || s.Uint64()&1 == 0 {
			return x
		}
	}
}

// TestZeroIsDrawnOnce counts zeros. It rejects a correct sampler once in 3·10^4
// seeds (four times |z| > 4.5).
func TestZeroIsDrawnOnce(t *testing.T) {
	s := NewSeededSource([32]byte{3})
	const n = float64(draws)
	for _, scale := range []uint64{1, 2, 7, 100} {
		zeros := 0.
		for range draws {
			if s.Laplace(scale) == 0 {
				zeros++
			}
		}
		p := laplaceLaw(float64(scale))(0)
		if !near(zeros, n*p, math.Sqrt(n*p*(1-p))) {
			t.Errorf("scale %d: %v zeros of %v, want %.1f", scale, zeros, n, n*p)
		}
	}
}

// TestLaplaceHasItsMoments rejects a correct sampler once in 10^4 seeds (fifteen times
// |z| > 4.5). A scale 2 % off has |z| above 24.
func TestLaplaceHasItsMoments(t *testing.T) {
	s := NewSeededSource([32]byte{4})
	const n = float64(draws)
	for _, scale := range []uint64{1 << 20, 1<<20 + 7, 1 << 24, 3 << 38, MaxScale} {
		m2, m4, lean := moments(draws, float64(scale), func() int64 { return s.Laplace(scale) })
		if !near(m2, 2, math.Sqrt(20/n)) || !near(m4, 24, math.Sqrt(39744/n)) || !near(lean, 0, 1) {
			t.Errorf("scale %d: second moment %.4f, fourth %.3f, lean %.2f, want 2, 24, 0", scale, m2, m4, lean)
		}
	}
}

// TestTheLowBitsOfLaplaceAreUniform checks the bits in which rounded floats leak (Mironov 2012).
// It rejects a correct sampler once in 2·10^4 seeds (four fits).
func TestTheLowBitsOfLaplaceAreUniform(t *testing.T) {
	s := NewSeededSource([32]byte{5})
	for _, scale := range []uint64{1<<20 + 7, 1 << 24, 3 << 38, MaxScale} {
		z, k := fit(draws, func() int64 { return s.Laplace(scale) & 127 }, uniform(128))
		checkLaw(t, fmt.Sprint("scale ", scale), z, k)
	}
}

// TestLaplaceFallsWithinItsIntervals checks the place of |x| within its 16th of the scale, where
// exp(-u/16t) makes the density fall by 6 % from one end to the other. A sampler without that
// factor has z = 25 for the mean.
func TestLaplaceFallsWithinItsIntervals(t *testing.T) {
	s := NewSeededSource([32]byte{6})
	const n = float64(draws)
	const scale = 1<<24 + 3
	mean := 0.
	for range draws {
		x := s.Laplace(scale)
		mean += float64(uint64(max(x, -x))*intervalsPerUnit%scale) / scale / n
	}
	want := intervalsPerUnit - 1/math.Expm1(1./intervalsPerUnit)
	if sd := math.Sqrt(1 / (12 * n)); !near(mean, want, sd) || near(mean, .5, sd) {
		t.Errorf("mean place %.5f, want %.5f ± %.5f", mean, want, sd)
	}
}

// TestEveryValueOfAScaleHasEquallyManyWords splits the 2^63 even words at the first and last word
// of a value.
func TestEveryValueOfAScaleHasEquallyManyWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		n := r.Uint64N(MaxScale>>r.IntN(40)) + 1
		u := r.Uint64N(n)
		first := func(u uint64) uint64 { // least w < 2^63 with ⌊w·n/2^63⌋ ≥ u
			q, rem := bits.Div64(u>>1, u<<63, n)
			if rem != 0 {
				q++
			}
			return q
		}
		a, b := first(u), uint64(1)<<63
		if u+1 < n {
			b = first(u + 1)
		}
		words := b - a
		for w := a; w < a+3 && w < b; w++ {
			got, ok := scaled(w<<1, n)
			if got != u {
				t.Fatalf("word %d of scale %d gives %d, want %d", w, n, got, u)
			}
			if !ok {
				words--
			}
		}
		if got, ok := scaled((b-1)<<1, n); got != u || (!ok && b-a > 3) {
			t.Fatalf("the last word of %d of scale %d gives %d, %v", u, n, got, ok)
		}
		if words != 1<<63/n {
			t.Fatalf("%d words for %d of scale %d, want %d", words, u, n, 1<<63/n)
		}
	}
}

func TestScalesOutOfRangePanic(t *testing.T) {
	s := NewSeededSource([32]byte{1})
	for _, draw := range []func(){
		func() { s.Laplace(0) },
		func() { s.Laplace(MaxScale + 1) },
		func() { s.Laplace(math.MaxUint64) },
		func() { s.Gaussian(0) },
		func() { s.Gaussian(MaxSigma + 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			draw()
		}()
	}
}
