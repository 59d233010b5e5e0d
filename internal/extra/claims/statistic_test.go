package claims

import (
	"math"
	"slices"
	"testing"

	"peerd.dev/node/lab/stats"
)

// cellOf returns a cell of runs over 100 rounds, one for each final regret, that lose it at an even pace or, with ends, all in the first
// quarter. The gap is such that a pace of 0.5 a round is linear.
func cellOf(name string, ends bool, finals ...float64) Cell {
	c := Cell{Name: name, Shares: []float64{1, 1}, Hub: 2, Link: 1}
	for i, x := range finals {
		r := stats.Run{Seed: uint64(i + 1), Gap: .4, Links: uint64(x), HubLinks: uint64(x)}
		for k := 1; k <= 100; k++ {
			r.Points = append(r.Points, uint64(k))
			share := float64(k) / 100
			if ends {
				share = min(1, 4*share)
			}
			r.Regret = append(r.Regret, x*share)
		}
		c.Runs = append(c.Runs, r)
	}
	return c
}

// about returns ten numbers with a mean, which differ by a spread.
func about(mean, spread float64) (all []float64) {
	for i := range 10 {
		all = append(all, mean+spread*(float64(i)-4.5)/4.5)
	}
	return all
}

func of(x float64) *float64 { return &x }

// TestVerdictsOfEachKind: by hand, every kind reaches each verdict, and a claim of the wrong direction is refuted.
func TestVerdictsOfEachKind(t *testing.T) {
	low, high := cellOf("low", false, about(50, 1)...), cellOf("high", false, about(100, 1)...)
	// As far from 50 in the other order of seeds, so that ratios to low say nothing.
	turned := about(50, 1)
	for i, x := range about(50, 1) {
		turned[9-i] = x
	}
	same := cellOf("same", false, turned...)
	flat := cellOf("flat", true, about(100, 1)...)
	for _, tt := range []struct {
		name  string
		part  Part
		cells []Cell
		want  Verdict
		mean  float64 // of the last statistic
	}{
		{"falls", Part{Kind: "falls"}, []Cell{high, low}, Holds, .5},
		{"falls, the wrong direction", Part{Kind: "falls"}, []Cell{low, high}, Fails, 2},
		{"falls, alike", Part{Kind: "falls"}, []Cell{low, same}, TooClose, 1},
		{"falls, equal", Part{Kind: "falls"}, []Cell{low, low}, Fails, 1},
		{"falls, then not", Part{Kind: "falls"}, []Cell{high, low, high}, Fails, 2},
		{"rises", Part{Kind: "rises"}, []Cell{low, high}, Holds, 2},
		{"rises, the wrong direction", Part{Kind: "rises"}, []Cell{high, low}, Fails, .5},
		{"rises on a logarithmic scale", Part{Kind: "rises", Log: true}, []Cell{low, high}, Holds, 2},
		{"cost", Part{Kind: "rises", Of: "cost"}, []Cell{low, high}, Holds, 2},
		{"ratio", Part{Kind: "ratio", Least: of(.4), Most: of(.6)}, []Cell{low, high}, Holds, .5},
		{"ratio, refuted", Part{Kind: "ratio", Least: of(.6)}, []Cell{low, high}, Fails, .5},
		{"ratio, at an end", Part{Kind: "ratio", Most: of(.5)}, []Cell{low, high}, TooClose, .5},
		{"ratio of ratios", Part{Kind: "ratio", Least: of(3.9), Most: of(4.1)}, []Cell{high, low, low, high}, Holds, 4},
		{"slope", Part{Kind: "slope", By: []float64{1, 2, 4}, Least: of(.4), Most: of(.6)}, []Cell{low, low, high}, Holds, .5},
		{"slope, refuted", Part{Kind: "slope", By: []float64{1, 2, 4}, Least: of(1.8), Most: of(2.2)}, []Cell{low, low, high}, Fails, .5},
		{"growth of a line", Part{Kind: "growth", Least: of(1.5), Most: of(2.5)}, []Cell{high}, Holds, 2},
		{"growth, refuted", Part{Kind: "growth", Most: of(1.5)}, []Cell{high}, Fails, 2},
		{"linearly", Part{Kind: "linearly", Least: of(1)}, []Cell{high}, Holds, 1},
		{"linear, none", Part{Kind: "linearly", Most: of(0)}, []Cell{flat}, Holds, 0},
		{"linear, refuted", Part{Kind: "linearly", Most: of(0)}, []Cell{flat, high}, Fails, 1},
		{"linear, a share", Part{Kind: "linearly", Most: of(.1)}, []Cell{flat}, TooClose, 0},
		{"mostly", Part{Kind: "mostly"}, []Cell{low, high}, Holds, 1},
		{"mostly, refuted", Part{Kind: "mostly"}, []Cell{high, low}, Fails, 0},
		{"mostly, in half", Part{Kind: "mostly"}, []Cell{low, same}, TooClose, .5},
		{"mostly, equal", Part{Kind: "mostly"}, []Cell{low, low}, TooClose, 0},
		{"agrees", Part{Kind: "agrees", Values: []float64{51}, Within: []float64{1}}, []Cell{low}, Holds, 50},
		{"agrees, refuted", Part{Kind: "agrees", Values: []float64{53}, Within: []float64{1}}, []Cell{low}, Fails, 50},
		{"agrees, vague", Part{Kind: "agrees", Values: []float64{51}, Within: []float64{40}}, []Cell{low}, TooClose, 50},
		{"agrees, counted", Part{Kind: "agrees", Of: "cost", Values: []float64{150}, Within: []float64{0}}, []Cell{cellOf("counted", false, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50)}, Holds, 150},
		{"few seeds", Part{Kind: "falls"}, []Cell{cellOf("high", false, 100, 101, 102), cellOf("low", false, 50, 51, 52)}, TooClose, .5},
	} {
		all := tt.part.measure(tt.cells)
		j := Judged{Verdict: Holds, Statistics: all}
		j.decide()
		last := all[len(all)-1]
		if j.Verdict != tt.want || math.Abs(last.Value.Mean-tt.mean) > .03*max(1, tt.mean) || last.Text == "" || last.Wanted == "" {
			t.Errorf("%s: %s, %+v, want %s and %g", tt.name, j.Verdict, all, tt.want, tt.mean)
		}
	}
}

// TestSeedsArePaired: only seeds that all cells have count, in whatever order runs are.
func TestSeedsArePaired(t *testing.T) {
	a, b := cellOf("a", false, 1, 2, 3), cellOf("b", false, 10, 20, 30)
	a.Runs = a.Runs[1:]
	slices.Reverse(b.Runs)
	if xs := paired("", []Cell{a, b}); len(xs[0]) != 2 || xs[0][0] != 2 || xs[1][0] != 20 || xs[1][1] != 30 {
		t.Errorf("paired: %v", xs)
	}
}

// TestAClaimHoldsIfAllPartsDo: what is refuted outweighs what is too close, and a stand-in says both.
func TestAClaimHoldsIfAllPartsDo(t *testing.T) {
	for _, tt := range []struct {
		parts []Verdict
		want  Verdict
	}{
		{[]Verdict{Holds, Holds}, Holds},
		{[]Verdict{Holds, TooClose}, TooClose},
		{[]Verdict{TooClose, Fails, Holds}, Fails},
	} {
		j, other := Judged{Verdict: Holds}, Judged{Claim: Claim{StandIn: "other data"}, Verdict: Holds}
		for i, v := range tt.parts {
			s := Statistic{Verdict: v, Seeds: 20 - i}
			j.Statistics, other.Statistics = append(j.Statistics, s), append(other.Statistics, s)
		}
		j.decide()
		other.decide()
		if j.Verdict != tt.want || j.Seeds != 21-len(tt.parts) || other.Verdict != StandIn || other.There != tt.want {
			t.Errorf("%v: %+v, on a stand-in %+v", tt.parts, j, other)
		}
	}
}

// TestText: intervals have digits enough to distinguish their ends, and exact numbers no ends.
func TestText(t *testing.T) {
	for _, tt := range []struct {
		i    stats.Interval
		want string
	}{
		{stats.Interval{Mean: .5, Low: .4, High: .61}, "0.500 (0.400 to 0.610)"},
		{stats.Interval{Mean: 221.21, Low: 175.44, High: 266.9}, "221.2 (175.4 to 266.9)"},
		{stats.Interval{Mean: 1250, Low: 1250, High: 1250}, "1250"},
		{stats.Interval{Mean: 298. / 690, Low: 298. / 690, High: 298. / 690}, "0.432"},
		{stats.Interval{Mean: 1, Low: math.Inf(-1), High: math.Inf(1)}, "1"},
	} {
		if got := text(tt.i); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.i, got, tt.want)
		}
	}
}
