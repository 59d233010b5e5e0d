package main

import (
	"fmt"
	"strings"
	"testing"
)

// rows returns two points of three runs of each cell, which end with these regrets.
func rows(cells ...any) string {
	var b strings.Builder
	for i := 0; i < len(cells); i += 2 {
		for seed, end := range cells[i+1].([]float64) {
			for round, regret := range []float64{1, end} {
				fmt.Fprintf(&b, "{\"cell\":%q,\"seed\":%d,\"round\":%d,\"regret\":%v}\n", cells[i], seed+1, round+1, regret)
			}
		}
	}
	return b.String()
}

// TestALieThatIsSeenMayNotCostMuch: one that cannot be detected is listed, and intervals count.
func TestALieThatIsSeenMayNotCostMuch(t *testing.T) {
	base := []float64{10, 11, 12}
	for _, x := range []struct {
		name   string
		finals []float64
		fails  bool
		says   string
	}{
		{"rows, trimmed, count = 1, inside", []float64{10, 11, 12.1}, false, "1.00 (0.99 to 1.02)"},
		{"rows, trimmed, count = 3, inside", []float64{20, 22, 24}, true, "TOO MUCH"},
		{"rows, mean, count = 1, inside", []float64{20, 22, 24}, false, "nothing sees these"},
		{"rows, mean, count = 1, outside, loud", []float64{20, 22, 24}, true, "TOO MUCH"},
		{"gis, mean, count = 1, malformed", []float64{20, 22, 24}, true, "TOO MUCH"},
		{"rows, mean, count = 1, quiet", []float64{10, 11, 24}, false, "unsure"},
		{"average, count = 1, t", []float64{20, 22, 24}, false, "nothing sees these"},
	} {
		b, _, _ := strings.Cut(x.name, ", count")
		var out strings.Builder
		err := compare(&out, strings.NewReader(rows(b, base, x.name, x.finals)))
		if (err != nil) != x.fails || !strings.Contains(out.String(), x.says) {
			t.Errorf("%s: %v\n%s", x.name, err, &out)
		}
	}
}

// TestACellNeedsItsReference: the same cell without liars, with as many runs.
func TestACellNeedsItsReference(t *testing.T) {
	for _, text := range []string{
		rows("rows, mean", []float64{1, 2}, "rows, mean, count = 1, inside", []float64{1, 2, 3}),
		rows("rows, trimmed", []float64{1, 2, 3}, "rows, mean, count = 1, inside", []float64{1, 2, 3}),
		"{",
	} {
		if err := compare(new(strings.Builder), strings.NewReader(text)); err == nil {
			t.Errorf("nothing is wrong with\n%s", text)
		}
	}
}
