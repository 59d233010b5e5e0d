package stats

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"peerd.dev/node/lab/sim"
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
	if !errors.Is(err, bad) || !strings.Contains(err.Error(), "seed ") {
		t.Errorf("got %v, want a seed and %v", err, bad)
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

// TestEachKeepsAllProcessorsBusy: as many calls at once as there are processors, each number
// once, and no call begins after an error.
func TestEachKeepsAllProcessorsBusy(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	var seen [40]atomic.Int32
	var together sync.WaitGroup
	together.Add(3)
	err := Each(t.Context(), len(seen), func(_ context.Context, i int) error {
		if i < 3 { // none of these ends before all have begun
			together.Done()
			together.Wait()
		}
		seen[i].Add(1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		if n := seen[i].Load(); n != 1 {
			t.Errorf("%d was done %d times", i, n)
		}
	}
	bad := errors.New("bad")
	last := -1
	runtime.GOMAXPROCS(1)
	err = Each(t.Context(), 100, func(_ context.Context, i int) error {
		if last = i; i == 5 {
			return bad
		}
		return nil
	})
	if !errors.Is(err, bad) || last != 5 {
		t.Errorf("%v, and %d was begun last, want 5", err, last)
	}
}

// TestRatiosArePaired: if every run of one is twice the run of the other, the ratio is certain,
// however much the runs differ; and a known case agrees with a calculation by hand.
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
	if r := RatioOf([]float64{1, 3}, []float64{0, 0}); !math.IsNaN(r.Mean) || !math.IsNaN(r.Low) || !math.IsNaN(r.High) {
		t.Errorf("a ratio to nothing is %+v", r)
	}
}

// TestIntervalsWithoutEndsAreJSON: unknown ends are null.
func TestIntervalsWithoutEndsAreJSON(t *testing.T) {
	b, err := json.Marshal(MeanOf([]float64{7}))
	if want := `{"mean":7,"low":null,"high":null}`; err != nil || string(b) != want {
		t.Errorf("%s, %v; want %s", b, err, want)
	}
}
