package bandit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFeatureMaps: the maps of a small context and action.
func TestFeatureMaps(t *testing.T) {
	r := math.Sqrt(.5)
	c, x := []float64{.5, -1}, []float64{.25, 0, 4}
	if in := (Inputs{Action: 3}); !slices.Equal(in.Features(nil, x), Features(x)) || in.Dim() != 3 {
		t.Error("without a context features are others")
	}
	for m, want := range map[FeatureMap]Features{
		Concat:       {r * .5, -r, r * .25, 0, r * 4},
		Outer:        {.125, 0, 2, -.25, 0, -4},
		Interactions: {r * .25, 0, r * 4, r * .5 * .25, 0, r * .5 * 4, -r * .25, 0, -r * 4},
	} {
		in := Inputs{len(x), len(c), m}
		if got := in.Features(c, x); !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
			t.Errorf("%s: %v, want %v", m, []float64(got), []float64(want))
		}
		if in.Dim() != len(want) {
			t.Errorf("%s: %d features, want %d", m, in.Dim(), len(want))
		}
	}
}

// TestFeatureMapsKeepTheBound: for a context and an action of norm at most 1, the features have
// norm at most 1, and the stated number.
func TestFeatureMapsKeepTheBound(t *testing.T) {
	ball := func(r *rapid.T, what string) []float64 {
		x := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 6).Draw(r, what)
		if n := math.Sqrt(norm2(x)); n > 1 {
			for i := range x {
				x[i] /= n
			}
		}
		return x
	}
	rapid.Check(t, func(r *rapid.T) {
		c, x := ball(r, "context"), ball(r, "action")
		for _, m := range []FeatureMap{Concat, Outer, Interactions} {
			in := Inputs{len(x), len(c), m}
			f := in.Features(c, x)
			if len(f) != in.Dim() || norm2(f) > 1+1e-12 {
				r.Fatalf("%s: %d features of norm² %v, want %d of at most 1", m, len(f), norm2(f), in.Dim())
			}
		}
	})
}

func norm2(x []float64) (sum float64) {
	for _, v := range x {
		sum += v * v
	}
	return sum
}
