package dp

import (
	"errors"
	"math"
	"testing"
)

// TestTotal adds up values, counts and noise, and does not change its arguments.
func TestTotal(t *testing.T) {
	noise := Noise{Law: Gaussian, Scale: 7, VarianceUnits: 3 * VarianceScale}
	a := Release{stream: 2, span: Span{From: 0, To: 4}, count: []uint64{5}, v: []int64{1, -2}, e: GridExponent, noise: noise}
	b := Release{stream: 2, span: Span{From: 0, To: 6}, count: []uint64{6}, v: []int64{10, 20}, e: GridExponent, noise: noise}
	want := Release{stream: 2, span: Span{From: 0, To: 6}, count: []uint64{16}, v: []int64{12, 16}, e: GridExponent, noise: Noise{Law: Gaussian, Scale: 7, VarianceUnits: 9 * VarianceScale}}
	got, err := Total([]Release{a, b, a})
	if err != nil || !got.Equal(want) {
		t.Errorf("%+v, %v", got, err)
	}
	if a.v[0] != 1 || a.count[0] != 5 || b.v[0] != 10 {
		t.Error("what was added up has changed")
	}
	for name, change := range map[string]func(r *Release){
		"stream":  func(r *Release) { r.stream = 1 },
		"lattice": func(r *Release) { r.e = -32 },
		"width":   func(r *Release) { r.v = r.v[:1] },
		"counts":  func(r *Release) { r.count = nil },
		"law":     func(r *Release) { r.noise.Law = Laplace },
		"noise":   func(r *Release) { r.noise.VarianceUnits = math.MaxUint32 },
		"value":   func(r *Release) { r.v = []int64{MaxValue, 0} },
		"count":   func(r *Release) { r.count = []uint64{math.MaxUint64} },
	} {
		r := b
		change(&r)
		if _, err := Total([]Release{a, r}); !errors.Is(err, ErrShape) && !errors.Is(err, ErrOverflow) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Total(nil); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}
