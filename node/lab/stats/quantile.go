package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// resamples is the number of samples of a bootstrap.
const resamples = 1000

// A pool has the values of all runs, from the least to the greatest.
type pool struct {
	values []float64
	runs   []int // of the values
}

func pooled(groups [][]float64) (p pool) {
	type value struct {
		x   float64
		run int
	}
	var all []value
	for i, g := range groups {
		for _, x := range g {
			all = append(all, value{x, i})
		}
	}
	slices.SortFunc(all, func(a, b value) int { return cmp.Or(cmp.Compare(a.x, b.x), a.run-b.run) })
	for _, v := range all {
		p.values, p.runs = append(p.values, v.x), append(p.runs, v.run)
	}
	return p
}

// quantile returns the least value that a share of the values of all runs is at most, where run i is there
// times[i] times.
func (p pool) quantile(share float64, times []int) float64 {
	total, sum := 0, 0
	for _, run := range p.runs {
		total += times[run]
	}
	for i, run := range p.runs {
		if sum += times[run]; sum > 0 && float64(sum) >= share*float64(total) {
			return p.values[i]
		}
	}
	return math.NaN()
}

// QuantileOf returns the least value that a share of all values is at most. Values are by run, and values
// of one run may depend on each other. The interval is a bootstrap over runs (Efron and Tibshirani 1993,
// section 13.3), infinitely wide for a single run.
func QuantileOf(share float64, xs [][]float64) Interval {
	p := pooled(xs)
	return bootstrap(len(xs), func(times []int) float64 { return p.quantile(share, times) })
}

// QuantileRatioOf returns the quantile of xs divided by the one of ys, where xs[i] and ys[i] come from the
// same seed, with an interval as in [QuantileOf].
func QuantileRatioOf(share float64, xs, ys [][]float64) Interval {
	p, q := pooled(xs), pooled(ys)
	return bootstrap(len(xs), func(times []int) float64 { return p.quantile(share, times) / q.quantile(share, times) })
}

// bootstrap returns a statistic of n runs, given how often each run is there.
func bootstrap(n int, statistic func(times []int) float64) Interval {
	times := make([]int, n)
	for i := range times {
		times[i] = 1
	}
	whole := Interval{statistic(times), math.Inf(-1), math.Inf(1)}
	if n < 2 {
		return whole
	}
	rng := rand.New(rand.NewPCG(1, uint64(n))) // the same runs give the same interval
	all := make([]float64, resamples)
	for i := range all {
		clear(times)
		for range n {
			times[rng.IntN(n)]++
		}
		all[i] = statistic(times)
	}
	slices.Sort(all)
	whole.Low, whole.High = all[int((1-confidence)/2*resamples)], all[int((1+confidence)/2*resamples)-1]
	return whole
}
