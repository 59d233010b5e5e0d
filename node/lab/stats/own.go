package stats

import (
	"math"
	"slices"

	"peerd.dev/node/lab/sim"
)

// OwnOf returns what some sites have lost at the end of runs against the best arm of their own site, by run
// and honest peer: of those that chosen accepts by their numbers, or of all if it is nil. A run without an own
// regret, or without such a site, has none.
func OwnOf(runs []Run, chosen func(site int) bool) [][]float64 {
	all := make([][]float64, len(runs))
	for i := range runs {
		for _, s := range runs[i].Sites {
			if chosen == nil || chosen(s.Number) {
				all[i] = append(all[i], s.Regret)
			}
		}
	}
	return all
}

// MeanOfSites returns the mean over sites in every run.
func MeanOfSites(sites [][]float64) []float64 {
	means := make([]float64, len(sites))
	for i, xs := range sites {
		for _, x := range xs {
			means[i] += x / float64(len(xs))
		}
	}
	return means
}

// OwnTailsOf returns the tails of the own regrets of sites in runs: as [TailsOf] does of runs, with a site of a
// run in the place of a run.
//
// A site loses linearly if it loses, per decision, at least a quarter of the gap between the two best arms of its
// own site or what its own decisions resolve, whichever is greater. It must do so both in the second half of the
// rounds and in the last quarter. Its decisions resolve √(2 ln T / D) where it makes D decisions in T rounds, the
// radius of TailsOf for one site. So a cost of arms that this site cannot distinguish by its own rewards does not
// count. A site that decides nothing in the last quarter does not lose linearly. Resolved is what the site with
// the most decisions resolves.
func OwnTailsOf(runs []Run, chosen func(site int) bool) Tails {
	var all []float64
	t := Tails{Resolved: math.Inf(1)}
	for i := range runs {
		rounds := runs[i].Points[len(runs[i].Points)-1]
		for _, s := range runs[i].Sites {
			if chosen != nil && !chosen(s.Number) {
				continue
			}
			if all = append(all, s.Regret); len(all) == 1 || s.Regret > t.Worst {
				t.Worst, t.Seed = s.Regret, runs[i].Seed
			}
			resolved := math.Sqrt(2 * math.Log(float64(rounds)) / float64(s.Decisions))
			t.Resolved = min(t.Resolved, resolved)
			if least := max(s.Gap/4, resolved); loses(s.Half, least) && loses(s.Quarter, least) {
				t.Linear++
			}
		}
	}
	t.spread(all)
	return t
}

// loses reports whether a site loses at least a number of rewards per decision.
func loses(l sim.Late, least float64) bool {
	return l.Decisions > 0 && l.Regret >= least*float64(l.Decisions)
}

// spread notes the median and how many of some regrets, at least one, are far from it.
func (t *Tails) spread(all []float64) {
	all = slices.Sorted(slices.Values(all))
	n := len(all)
	t.Median = (all[(n-1)/2] + all[n/2]) / 2
	above := 0
	for _, x := range all {
		if x > far*t.Median {
			above++
		}
	}
	t.Far = ShareOf(above, n)
}
