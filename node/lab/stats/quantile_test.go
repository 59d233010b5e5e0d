package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestQuantilesCover: of values of runs that share a part, the interval of the quantile has the truth in about nine of ten
// experiments of 40 runs, a little fewer than with many. An interval that takes all values for independent is too narrow.
func TestQuantilesCover(t *testing.T) {
	const runs, sites, experiments = 40, 10, 400
	rng := rand.New(rand.NewPCG(4, 5))
	sample := func(n int) (all [][]float64) {
		for range n {
			shared := rng.NormFloat64()
			run := make([]float64, sites)
			for i := range run {
				run[i] = 10 + shared + rng.NormFloat64()
			}
			all = append(all, run)
		}
		return all
	}
	truth := 10 + math.Sqrt2*1.6448536269514722
	covered, ratio, narrow := 0, 0, 0
	for range experiments {
		xs, ys := sample(runs), sample(runs)
		if q := QuantileOf(.95, xs); q.Low <= truth && truth <= q.High {
			covered++
		}
		if q := QuantileRatioOf(.95, xs, ys); q.Low <= 1 && 1 <= q.High {
			ratio++
		}
		var single [][]float64
		for _, run := range xs {
			for _, x := range run {
				single = append(single, []float64{x})
			}
		}
		if q := QuantileOf(.95, single); q.Low <= truth && truth <= q.High {
			narrow++
		}
	}
	t.Logf("of %d intervals %d have the quantile, %d the ratio; %d of those that take sites for independent", experiments, covered, ratio, narrow)
	if covered < 340 || ratio < 340 {
		t.Errorf("of %d intervals only %d have the quantile, and %d the ratio", experiments, covered, ratio)
	}
	if narrow >= covered {
		t.Error("runs make no difference: the test shows nothing")
	}
	if q := QuantileOf(.95, sample(1)); !math.IsInf(q.High, 1) {
		t.Errorf("one run has the interval %v", q)
	}
}

func TestQuantileIsTheLeastThatAShareIsAtMost(t *testing.T) {
	xs := [][]float64{{4, 2}, {3, 1, 5}}
	for share, want := range map[float64]float64{.2: 1, .21: 2, .5: 3, .8: 4, .95: 5, 1: 5} {
		if q := QuantileOf(share, xs); q.Mean != want || q.Low > want || q.High < want {
			t.Errorf("%v: %v, want %v", share, q, want)
		}
	}
}
