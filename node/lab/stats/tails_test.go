package stats

import (
	"math"
	"testing"
)

// straight is a run of 1,000 rounds that loses at one rate in its first half and at another in
// its second.
func straight(seed uint64, gap, first, second float64) Run {
	r := Run{Seed: seed, Gap: gap}
	for p := uint64(10); p <= 1000; p += 10 {
		r.Points = append(r.Points, p)
		r.Regret = append(r.Regret, first*float64(min(p, 500))+second*float64(max(p, 500)-500))
	}
	return r
}

// TestTails: a case by hand of three peers, one of which decides in a fifth of all rounds.
func TestTails(t *testing.T) {
	shares := []float64{.2, 1, 1}
	// Σ 1/Dᵢ is .007, so the resolved gap is √(2 ln 1000 · .007)/3 = .10366, and a quarter of a
	// gap of .8 is more.
	runs := []Run{
		straight(5, .8, .01, .001),
		straight(6, .8, .01, .147), // a peer decides 366.7 times in 500 rounds, and may lose .2 at each
		straight(7, .8, .01, .146),
		straight(8, .2, .01, .0761), // .10366 at each
		straight(9, .2, .5, .0759),
	}
	got := TailsOf(runs, shares)
	if math.Abs(got.Resolved-.10366) > 1e-5 {
		t.Errorf("resolves %v, want .10366", got.Resolved)
	}
	if got.Linear != 2 {
		t.Errorf("%d runs lose linearly, want 2", got.Linear)
	}
	if got.Worst != runs[4].Final() || got.Seed != 9 || math.Abs(got.Median-runs[2].Final()) > 1e-9 || got.Far.Mean != 0 {
		t.Errorf("%+v", got)
	}
	ended := straight(10, .8, .01, .3)
	for k, p := range ended.Points { // it loses everything before round 750
		ended.Regret[k] = ended.Regret[min(k, 74)]
		ended.Regret[k] += .001 * float64(max(p, 750)-750)
	}
	if x := TailsOf([]Run{ended}, shares); x.Linear != 0 {
		t.Error("a run loses linearly that has lost next to nothing in its last quarter")
	}
	runs[0].Regret[99] = 5.1 * runs[2].Final()
	if got = TailsOf(runs, shares); got.Far.Mean != .2 || got.Worst != runs[0].Final() || got.Seed != 5 {
		t.Errorf("%+v, want one of 5 beyond 5 medians", got)
	}
	short := Run{Points: []uint64{1, 2, 3}, Regret: []float64{1, 1, 4}}
	for from, want := range map[float64][2]float64{.5: {3, 2. / 3}, .75: {3, 1. / 3}} {
		if late, part := short.since(from); late != want[0] || math.Abs(part-want[1]) > 1e-12 {
			t.Errorf("from %v on lost %v in the last %v of a run, want %v", from, late, part, want)
		}
	}
}
