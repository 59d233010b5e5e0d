package dp

import (
	"errors"
	"math"
	"testing"
)

// TestSumsOfLeavesAdd: values, counts, spans and terms of noise; other streams, shapes and orders
// are refused.
func TestSumsOfLeavesAdd(t *testing.T) {
	leaf := func(change func(*Release)) Release {
		r := Release{stream: 2, span: Span{From: 4, To: 5}, count: []uint64{3}, v: []int64{-7}, e: GridExponent, noise: Noise{Scale: 9, VarianceUnits: VarianceScale}}
		if change != nil {
			change(&r)
		}
		return r
	}
	before := leaf(func(r *Release) {
		r.span, r.count[0], r.v[0], r.noise.VarianceUnits = Span{From: 0, To: 3}, 10, 50, 3*VarianceScale
	})
	got, err := Plus(before, leaf(nil))
	want := leaf(func(r *Release) {
		r.span, r.count[0], r.v[0], r.noise.VarianceUnits = Span{From: 0, To: 5}, 13, 43, 4*VarianceScale
	})
	if err != nil || !got.Equal(want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if before.v[0] != 50 || before.count[0] != 10 {
		t.Error("the sum before was changed")
	}
	for what, change := range map[string]func(*Release){
		"another stream":     func(r *Release) { r.stream = 1 },
		"a leaf twice":       func(r *Release) { r.span.From = 2 },
		"another lattice":    func(r *Release) { r.e-- },
		"two values":         func(r *Release) { r.v = []int64{1, 2} },
		"no count":           func(r *Release) { r.count = nil },
		"noise of two laws":  func(r *Release) { r.noise.Law = Gaussian },
		"a value out of it":  func(r *Release) { r.v[0] = MaxValue },
		"counts beyond 2^64": func(r *Release) { r.count[0] = math.MaxUint64 },
		"terms beyond 2^32":  func(r *Release) { r.noise.VarianceUnits = math.MaxUint32 },
	} {
		if got, err := Plus(before, leaf(change)); !errors.Is(err, ErrShape) && !errors.Is(err, ErrOverflow) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
}
