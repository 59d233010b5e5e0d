package averages

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

func secret(seed byte) vouch.Value[*rand.Rand] {
	return vouch.For(rand.New(rand.NewChaCha8([32]byte{seed})))
}

// TestSharesAddUp: both shares of any number of releases, in any order and also as sums of sums, are the sum of the releases, with
// counts, noise and spans as Total has them, as long as the sum stays from -2^61 to 2^61-1.
func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, counts := rapid.IntRange(0, 5).Draw(t, "width"), rapid.IntRange(0, 3).Draw(t, "counts")
		n := rapid.IntRange(1, 12).Draw(t, "releases")
		value := rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64Range(-dp.MaxValue/int64(n), (dp.MaxValue-1)/int64(n)))
		rng := secret(rapid.Byte().Draw(t, "seed"))
		var whole, first, second []dp.Release
		for range n {
			before := dp.Fields{Stream: 3, Exponent: dp.GridExponent, Noise: dp.Noise{Law: dp.Gaussian, Scale: 1 << 20, VarianceUnits: dp.VarianceScale}}
			before.Span.From = rapid.Uint64Range(0, 9).Draw(t, "from")
			before.Span.To = before.Span.From + 4
			before.Value = rapid.SliceOfN(value, width, width).Draw(t, "values")
			before.Count = rapid.SliceOfN(rapid.Uint64Range(0, 1<<40), counts, counts).Draw(t, "count")
			r := release(before)
			a, b, err := Split(r, rng)
			if err != nil || b.Counts() != counts || b.Noise() != (dp.Noise{}) || b.Stream() != r.Stream() || b.Span() != r.Span() || b.Exponent() != r.Exponent() {
				t.Fatalf("%+v, %v", b, err)
			}
			for _, s := range []dp.Release{a, b} {
				if got, err := dp.Received(vouch.For(s.Fields())); err != nil || !got.Equal(s) {
					t.Fatalf("a share is no release: %v", err)
				}
			}
			if !r.Equal(release(before)) {
				t.Fatal("the release has changed")
			}
			whole, first, second = append(whole, r), append(first, a), append(second, b)
		}
		want := require.Value(dp.Total(whole))(t)
		sum := require.Value(Joined(second))(t)
		for name, all := range map[string][]dp.Release{
			"one by one": rapid.Permutation(slices.Concat(first, second)).Draw(t, "order"), "with a sum": append(slices.Clone(first), sum), "a sum first": append([]dp.Release{sum}, first...),
		} {
			got, err := Joined(all)
			if err != nil || !got.Equal(want) {
				t.Fatalf("%s: got %+v, %v, want %+v", name, got, err, want)
			}
		}
	})
}

// TestSharesAreUniform: the top 6 bits of either share, and its lowest 6, fit uniform bits by χ², whatever is split. A false alarm in
// 10^6 of each of the 12 tests.
func TestSharesAreUniform(t *testing.T) {
	const draws, cells = 1 << 16, 64
	for _, x := range []int64{0, 1 << 20, -dp.MaxValue} {
		var n [4][cells]float64
		rng := secret(1)
		for range draws / 64 {
			a, b, err := Split(release(dp.Fields{Value: slices.Repeat([]int64{x}, 64)}), rng)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 64 {
				for k, s := range []int64{a.Value(i), b.Value(i)} {
					n[2*k][(s+1<<61)>>56]++
					n[2*k+1][s&(cells-1)]++
				}
			}
		}
		for k := range n {
			chi2 := 0.
			for _, seen := range n[k] {
				chi2 += (seen - draws/cells) * (seen - draws/cells) / (draws / cells)
			}
			freedom := cells - 1.
			if z := (math.Cbrt(chi2/freedom) - 1 + 2/(9*freedom)) / math.Sqrt(2/(9*freedom)); math.Abs(z) > 4.9 {
				t.Errorf("%d, part %d: χ² is %.1f of %v degrees of freedom", x, k, chi2, freedom)
			}
		}
	}
}

// TestEveryBitOfAShareIsFair: of values and counts, in both shares. A false alarm in 10^8 of each of the 252 bits.
func TestEveryBitOfAShareIsFair(t *testing.T) {
	const draws = 1 << 14
	var ones [4][64]float64
	rng := secret(2)
	for range draws {
		a, b, err := Split(release(dp.Fields{Value: []int64{1 << 20}, Count: []uint64{25}}), rng)
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range []uint64{uint64(a.Value(0)), uint64(b.Value(0)), a.Fields().Count[0], b.Fields().Count[0]} {
			for i := range 64 {
				ones[k][i] += float64(x >> i & 1)
			}
		}
	}
	for k := range ones {
		for i, n := range ones[k] {
			if math.Abs(n-draws/2) > 5.8*math.Sqrt(draws)/2 { // the highest two bits of a value are its sign
				t.Errorf("number %d: bit %d is set %v times of %d", k, i, n, draws)
			}
		}
	}
}

// TestTheSecondShareIsIndependent: of the values, the count and the noise of what is split; and no two splits of a release have
// the same shares.
func TestTheSecondShareIsIndependent(t *testing.T) {
	r := release(dp.Fields{Value: []int64{1, 2, 3}, Count: []uint64{1}})
	o := release(dp.Fields{Value: []int64{-dp.MaxValue, 0, dp.MaxValue}, Count: []uint64{9}, Noise: dp.Noise{Scale: 7, VarianceUnits: 5}})
	_, b, err := Split(r, secret(1))
	if err != nil {
		t.Fatal(err)
	}
	rng := secret(1)
	_, same, err := Split(o, rng)
	if err != nil || !same.Equal(b) {
		t.Errorf("got %+v, %v, want %+v", same, err, b)
	}
	if _, other, failed := Split(o, rng); failed != nil || slices.Equal(other.Fields().Value, b.Fields().Value) {
		t.Errorf("a second split has the same shares, %v", failed)
	}
	if _, _, err = Split(r, vouch.Value[*rand.Rand]{}); err == nil {
		t.Error("shares without a source")
	}
}

// TestSharesOfOtherShapesAreRefused: other streams, lattices, widths, counts and laws.
func TestSharesOfOtherShapesAreRefused(t *testing.T) {
	r := dp.Fields{Stream: 1, Value: []int64{1, 2}, Count: []uint64{5}, Exponent: dp.GridExponent, Noise: dp.Noise{Law: dp.Gaussian, Scale: 9, VarianceUnits: dp.VarianceScale}}
	for name, change := range map[string]func(f *dp.Fields){
		"stream":  func(f *dp.Fields) { f.Stream = 2 },
		"lattice": func(f *dp.Fields) { f.Exponent = -32 },
		"width":   func(f *dp.Fields) { f.Value = f.Value[:1] },
		"counts":  func(f *dp.Fields) { f.Count = []uint64{1, 2} },
		"law":     func(f *dp.Fields) { f.Noise.Law = dp.Laplace },
		"noise":   func(f *dp.Fields) { f.Noise.VarianceUnits = math.MaxUint32 },
	} {
		o := r
		change(&o)
		for _, all := range [][]dp.Release{{release(r), release(o)}, {release(o), release(r)}} {
			if _, err := Joined(all); !errors.Is(err, dp.ErrShape) && !errors.Is(err, dp.ErrOverflow) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := Joined(nil); !errors.Is(err, dp.ErrShape) {
		t.Error(err)
	}
}
