package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// rows returns three runs of 100 points of each cell, whose regret is a number by run times a
// function of the round.
func rows(names []string, of ...func(t float64) float64) string {
	var b strings.Builder
	for i, name := range names {
		for seed := 1; seed <= 3; seed++ {
			for t := 10; t <= 1000; t += 10 {
				fmt.Fprintf(&b, "{\"cell\":%q,\"seed\":%d,\"round\":%d,\"regret\":%v}\n", name, seed, t, float64(seed)*of[i](float64(t)))
			}
		}
	}
	return b.String()
}

// TestRatiosArePairedBySeed: to the cell before and to a reference, without an interval if runs
// differ only by a factor; growth distinguishes lines from logarithms.
func TestRatiosArePairedBySeed(t *testing.T) {
	text := rows([]string{"line", "log", "twice"}, func(t float64) float64 { return t / 100 }, func(t float64) float64 { return math.Log(t) / math.Log(1000) * 5 }, func(t float64) float64 { return t / 50 })
	for name, wants := range map[string][]string{
		"":    {"line 20.0 1.000 (1.000 to 1.000) 1.000 (1.000 to 1.000) 1.0000 (-Inf to +Inf) 0 of 3 2.000 (2.000 to 2.000)", "log 10.0 0.500 (0.500 to 0.500) 0.500", "twice 40.0 4.000 (4.000 to 4.000) 2.000 (2.000 to 2.000) 2.0000 (-Inf to +Inf) 3 of 3 2.000"},
		"log": {"line 20.0 1.000 (1.000 to 1.000) 2.000 (2.000 to 2.000)", "1.000 (1.000 to 1.000) 1.0000 (-Inf to +Inf) 0 of 3 1.000 (1.000 to 1.000)"},
	} {
		var out strings.Builder
		if err := compare(&out, strings.NewReader(text), name); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%q: want %q in\n%s", name, want, &out)
			}
		}
	}
	var out strings.Builder
	if err := compare(&out, strings.NewReader(rows([]string{"flat"}, func(float64) float64 { return 3 })), ""); err != nil || !strings.Contains(out.String(), " -") {
		t.Errorf("nothing is lost in the end: %v\n%s", err, &out)
	}
	for _, bad := range []string{"", "{", rows([]string{"a"}, func(float64) float64 { return 1 })} {
		if err := compare(new(strings.Builder), strings.NewReader(bad), "b"); err == nil {
			t.Errorf("nothing is wrong with %.40q", bad)
		}
	}
}

// TestTheMedianRatio has the interval of the sign test, which an outlier does not move.
func TestTheMedianRatio(t *testing.T) {
	xs, ys := make([]float64, 20), make([]float64, 20)
	for i := range xs {
		xs[i], ys[i] = 101+float64(i)/10, 100
	}
	xs[3] = 1 // an outlier
	ratio, more := medianOf(xs, ys)
	// Of the sorted ratios, the 6th and the 15th are the ends for 20 runs (95.9 %).
	if more != 19 || math.Abs(ratio.Mean-1.0195) > 1e-9 || math.Abs(ratio.Low-1.015) > 1e-9 || math.Abs(ratio.High-1.024) > 1e-9 {
		t.Errorf("median %+v, more in %d", ratio, more)
	}
	if few, _ := medianOf(xs[:5], ys[:5]); !math.IsInf(few.High, 1) || !math.IsInf(few.Low, -1) {
		t.Errorf("of five runs: %+v, want no ends", few)
	}
}
