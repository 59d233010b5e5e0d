package check

import (
	"math"
	"testing"
	"time"

	"peerd.dev/dp"
	"peerd.dev/dp/noise"
	"peerd.dev/node/ledger"
)

// TestWordsOfAReleaseAreInRewards: from a ledger's units, by the range of rewards, with the deviation of the noise.
func TestWordsOfAReleaseAreInRewards(t *testing.T) {
	const one = 1 << 20
	by := dp.Noise{Law: noise.Laplace, Scale: one, VarianceUnits: 256} // deviation √2
	mine := Words{Actions: []string{"red", "green", ""}, Low: -1, High: 3, Start: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC), Every: 10 * time.Second}
	for _, c := range []struct {
		words Words
		r     ledger.Release
		when  string
		of    string
		sum   float64
		sd    float64
		what  string
	}{
		{mine, ledger.Release{Round: 7, Stream: 1, Counts: []uint64{4}, Values: []int64{2 * one}}, "2026-12-01 08:01:10", "green", 4, 4 * math.Sqrt2, "4 rewards, sum 4.00 ± 5.66"},
		{mine, ledger.Release{Round: 7, Stream: 3, Values: []int64{one, 3 * one}}, "2026-12-01 08:01:10", "red", 0, math.Sqrt(20), "sum 0.00 ± 4.47, number of rewards 4.0 ± 2"},
		{Words{}, ledger.Release{Round: 7, Stream: 2, Counts: []uint64{1}, Values: []int64{one / 2}}, "round 7", "stream 2", .5, math.Sqrt2, "1 reward, sum 0.50 ± 1.41"},
		{mine, ledger.Release{Stream: 0, Counts: []uint64{440}, Values: make([]int64, 65)}, "2026-12-01 08:00:00", "model", 0, 0, "440 rewards, 65 numbers, each with noise of ± 1.41"},
	} {
		c.r.Exponent, c.r.Noise = -20, by
		when, of, what := c.words.Line(&c.r)
		if when != c.when || of != c.of || what != c.what {
			t.Errorf("%s %s: %s, want %s %s: %s", when, of, what, c.when, c.of, c.what)
		}
		if !ofAction(&c.r) {
			continue
		}
		if sum, sd := c.words.sum(&c.r); math.Abs(sum-c.sum) > 1e-9 || math.Abs(sd-c.sd) > 1e-9 {
			t.Errorf("%s: sum %v ± %v, want %v ± %v", c.what, sum, sd, c.sum, c.sd)
		}
	}
}
