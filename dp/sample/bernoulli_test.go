package sample

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestBernoulliComparesEveryDigit checks bernoulli against a/b in exact arithmetic, with V equal
// to a/b in its first digits and then one unit below it, equal to it, or above it.
func TestBernoulliComparesEveryDigit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	base := new(big.Int).Lsh(big.NewInt(1), 64)
	for range 2000 {
		b := r.Uint64()>>r.IntN(62) | 1
		a := r.Uint64() % b
		const n = 4
		var digits []uint64 // of a/b
		rest := new(big.Int).SetUint64(a)
		for range n {
			q, m := new(big.Int).DivMod(rest.Mul(rest, base), new(big.Int).SetUint64(b), new(big.Int))
			digits, rest = append(digits, q.Uint64()), m
		}
		for i, d := range digits {
			v := append([]uint64(nil), digits[:i+1]...)
			if d > 0 {
				v[i] = d - 1
				if s := scripted(v[1:]...); !s.bernoulli(v[0], a, b) {
					t.Fatalf("%d/%d: false for %x, below", a, b, v)
				}
			}
			if d < math.MaxUint64 {
				v[i] = d + 1
				if s := scripted(v[1:]...); s.bernoulli(v[0], a, b) {
					t.Fatalf("%d/%d: true for %x, above", a, b, v)
				}
			}
		}
	}
}

func TestBernoulliIsSureOfNothingAndEverything(t *testing.T) {
	s := NewSeededSource([32]byte{1})
	for _, b := range []uint64{1, 2, 3, 1 << 63, math.MaxUint64} {
		for _, v := range []uint64{0, 1, 1 << 63, math.MaxUint64} {
			if s.bernoulli(v, 0, b) {
				t.Errorf("0/%d is true", b)
			}
			if !s.bernoulli(v, b, b) {
				t.Errorf("%d/%d is false", b, b)
			}
		}
	}
}

// TestBernoulliExpHasItsProbability rejects a correct sampler once in 10^4 seeds
// (five times |z| > 4.3).
func TestBernoulliExpHasItsProbability(t *testing.T) {
	s := NewSeededSource([32]byte{1})
	const n = draws
	for _, c := range [][2]uint64{{0, 1}, {1, 1000}, {1, 3}, {1 << 51, 1 << 52}, {7, 7}} {
		p := math.Exp(-float64(c[0]) / float64(c[1]))
		k := 0
		for range n {
			if s.bernoulliExp(s.Uint64(), c[0], c[1]) {
				k++
			}
		}
		if d := math.Abs(float64(k) - n*p); d > 4.3*math.Sqrt(n*p*(1-p)) {
			t.Errorf("exp(-%d/%d): %d of %d, want %.1f", c[0], c[1], k, n, n*p)
		}
	}
}
