package stats

import (
	"math"
	"slices"
	"testing"

	"peerd.dev/node/lab/sim"
)

// TestOwnTails: a case by hand, of sites with decisions in 1,000 rounds that are all, or a fifth.
func TestOwnTails(t *testing.T) {
	// All decisions resolve √(2 ln 1000 / 1000) = .1175, a fifth of them .2628.
	site := func(number int, decisions uint64, gap, half, quarter float64) sim.Site {
		return sim.Site{
			Number: number, Regret: half * float64(decisions) / 2, Decisions: decisions, Gap: gap,
			Half:    sim.Late{Regret: half * float64(decisions) / 2, Decisions: decisions / 2},
			Quarter: sim.Late{Regret: quarter * float64(decisions) / 4, Decisions: decisions / 4},
		}
	}
	silent := sim.Site{Number: 5, Decisions: 100, Regret: 50, Gap: .1, Half: sim.Late{Regret: 50, Decisions: 100}}
	runs := []Run{
		{Seed: 7, Points: []uint64{1000}, Sites: []sim.Site{site(0, 1000, .1, .12, .12), site(1, 200, .1, .12, .12), site(3, 1000, .8, .19, .21), silent}},
		{Seed: 8, Points: []uint64{1000}, Sites: []sim.Site{site(0, 1000, .1, .12, .11), site(1, 200, .1, .27, .27), site(3, 1000, .8, .21, .21), silent}},
	}
	got := OwnTailsOf(runs, nil)
	if got.Linear != 3 { // site 0 of seed 7, sites 1 and 3 of seed 8
		t.Errorf("%d sites lose linearly, want 3", got.Linear)
	}
	if math.Abs(got.Worst-105) > 1e-9 || got.Seed != 8 || math.Abs(got.Median-55) > 1e-9 || math.Abs(got.Resolved-.1175) > 1e-4 {
		t.Errorf("%+v", got)
	}
	one := func(site int) bool { return site == 1 }
	if got := OwnTailsOf(runs, one); got.Linear != 1 || math.Abs(got.Resolved-.2628) > 1e-4 || math.Abs(got.Worst-27) > 1e-9 {
		t.Errorf("of one site %+v", got)
	}
	if got := OwnOf(runs, one); len(got) != 2 || !slices.Equal(got[0], []float64{12}) || !slices.Equal(got[1], []float64{27}) {
		t.Errorf("of one site %v, want 12 and 27", got)
	}
	if got := MeanOfSites(OwnOf(runs, nil)); math.Abs(got[0]-(60+12+95+50)/4.) > 1e-9 {
		t.Errorf("means %v", got)
	}
}
