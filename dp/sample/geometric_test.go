package sample

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// expFloat returns exp(-i/16) from the plain series of exp(i/16) with 1000 bits.
func expFloat(i uint64) *big.Float {
	const prec = 1000
	x := new(big.Float).SetPrec(prec).Quo(big.NewFloat(float64(i)), big.NewFloat(16))
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for k := 1; k < 300; k++ {
		term.Mul(term, x)
		term.Quo(term, new(big.Float).SetInt64(int64(k)))
		sum.Add(sum, term)
	}
	return new(big.Float).SetPrec(prec).Quo(big.NewFloat(1).SetPrec(prec), sum)
}

// bigDigits returns the first n digits of x in base 2^64.
func bigDigits(x *big.Float, n int) []uint64 {
	v, _ := new(big.Float).SetMantExp(x, 64*n).Int(nil)
	out := make([]uint64, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
		v.Rsh(v, 64)
	}
	return out
}

func TestExpDigitsAreThoseOfTheExponential(t *testing.T) {
	for i := uint64(1); i <= tableIntervals; i++ {
		for n := 2; n <= 10; n++ {
			got, want := expDigits(i, n), bigDigits(expFloat(i), n)
			g, w := toInt(got), toInt(want)
			if d := g.Sub(g, w); d.CmpAbs(big.NewInt(expSlack)) >= 0 {
				t.Errorf("exp(-%d/16) to %d digits is off by %v units", i, n, d)
			}
		}
		if got, want := intervals.edge[i-1], bigDigits(expFloat(i), 1)[0]; got != want {
			t.Errorf("edge %d is %#x, want %#x", i, got, want)
		}
	}
}

func toInt(digits []uint64) *big.Int {
	v := new(big.Int)
	for _, d := range digits {
		v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(d))
	}
	return v
}

// TestTheTableCountsEdges compares the guided look-up with counting, at every edge and at random
// words. A word at the end of the table is followed by ^0: no more edges.
func TestTheTableCountsEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []uint64{0, 1, math.MaxUint64}
	for _, e := range intervals.edge[:tableIntervals] {
		words = append(words, e-1, e+1) // the edge itself needs more digits
	}
	for i := range uint64(1 << guideBits) {
		words = append(words, i<<(64-guideBits), (i+1)<<(64-guideBits)-1)
	}
	for range 10_000 {
		words = append(words, r.Uint64())
	}
	for _, w := range words {
		want := uint64(0)
		for _, e := range intervals.edge[:tableIntervals] {
			if w < e {
				want++
			}
		}
		if got := scripted(w, math.MaxUint64).geometric(); got != want {
			t.Fatalf("%#x: %d edges above, want %d", w, got, want)
		}
	}
}

// TestATieAtAnEdgeGoesOnWithItsDigits scripts words that agree with an edge in 1 to 4 digits.
func TestATieAtAnEdgeGoesOnWithItsDigits(t *testing.T) {
	for i := uint64(1); i <= tableIntervals; i++ {
		edge := bigDigits(expFloat(i), 5)
		for n := 1; n < len(edge); n++ {
			below := append([]uint64(nil), edge[:n+1]...)
			below[n]--
			above := append([]uint64(nil), edge[:n+1]...)
			above[n]++
			below = append(below, math.MaxUint64) // the end of the table asks for more
			if got := scripted(below...).geometric(); got != i {
				t.Errorf("below exp(-%d/16) at digit %d: %d edges above", i, n, got)
			}
			if got := scripted(above...).geometric(); got != i-1 {
				t.Errorf("above exp(-%d/16) at digit %d: %d edges above", i, n, got)
			}
		}
	}
}

// TestGeometricHasNoMemory rejects a correct sampler once in 7·10^4 seeds. Numbers
// beyond the table have bins of their own.
func TestGeometricHasNoMemory(t *testing.T) {
	s := NewSeededSource([32]byte{3})
	p := -math.Expm1(-1. / intervalsPerUnit)
	z, k := fit(draws, func() int64 { return int64(s.geometric()) }, func(x int64) float64 {
		if x < 0 {
			return 0
		}
		return p * math.Exp(-float64(x)/intervalsPerUnit)
	})
	checkLaw(t, "geometric", z, k)
}
