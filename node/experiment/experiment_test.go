package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"peerd.dev/node/sim"
)

func TestIntervals(t *testing.T) {
	// Student's t with 4 degrees of freedom: 2.776; sd of 1…5 is 1.5811.
	got := MeanOf([]float64{1, 2, 3, 4, 5})
	if h := 2.776 * 1.5811 / math.Sqrt(5); math.Abs(got.Mean-3) > 1e-12 || math.Abs(got.High-3-h) > 1e-3 || math.Abs(3-h-got.Low) > 1e-3 {
		t.Errorf("mean of 1 to 5 is %+v, want 3 ± %.3f", got, h)
	}
	if one := MeanOf([]float64{7}); one.Mean != 7 || !math.IsInf(one.High, 1) {
		t.Errorf("one value says %+v", one)
	}
	// Wilson's interval of 8 in 10, from its published formula: .490 to .943.
	if s := ShareOf(8, 10); math.Abs(s.Low-.490) > 1e-3 || math.Abs(s.High-.943) > 1e-3 {
		t.Errorf("8 in 10 is %+v", s)
	}
	if s := ShareOf(0, 20); s.Low != 0 || s.High > .17 {
		t.Errorf("0 in 20 is %+v", s)
	}
}

func TestAnErrorEndsAllRunsAndNamesItsSeed(t *testing.T) {
	bad := errors.New("no such world")
	_, err := Runs(t.Context(), []uint64{1, 2, 3}, func(uint64) (sim.Config, error) { return sim.Config{}, bad }, nil)
	if !errors.Is(err, bad) {
		t.Errorf("got %v, want %v", err, bad)
	}
}

func TestAnInterruptEndsAllRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Runs(ctx, []uint64{1, 2}, func(uint64) (sim.Config, error) { return sim.Config{}, nil }, nil)
	if err == nil {
		t.Error("an interrupted experiment succeeded")
	}
}

// TestRatiosArePaired: where every run of one is twice that of the other the ratio is
// sure, however much the runs differ; and a known case comes out by hand.
func TestRatiosArePaired(t *testing.T) {
	ys := []float64{1, 5, 2, 9}
	if r := RatioOf([]float64{2, 10, 4, 18}, ys); math.Abs(r.Mean-2) > 1e-12 || r.High-r.Low > 1e-9 {
		t.Errorf("twice as much is %+v", r)
	}
	// xs/ys of (1, 3) and (1, 1): r = 2, rest = (-1, 1), sd √2, Student's t with one
	// degree of freedom 12.706, so half a width is 12.706.
	if r := RatioOf([]float64{1, 3}, []float64{1, 1}); math.Abs(r.Mean-2) > 1e-12 || math.Abs(r.High-2-12.706) > 1e-3 {
		t.Errorf("%+v, want 2 ± 12.706", r)
	}
}

// TestIntervalsWithoutEndsAreJSON: null is what cannot be said.
func TestIntervalsWithoutEndsAreJSON(t *testing.T) {
	b, err := json.Marshal(MeanOf([]float64{7}))
	if want := `{"mean":7,"low":null,"high":null}`; err != nil || string(b) != want {
		t.Errorf("%s, %v; want %s", b, err, want)
	}
}
