package experiment

import (
	"math"
	"slices"
)

// far is how many medians a run has to lose to be far from most.
const far = 5

// Tails are how the regrets of runs at the end spread.
type Tails struct {
	Median   float64  `json:"median"`
	Worst    float64  `json:"worst"`
	Seed     uint64   `json:"worst_seed"`
	Far      Interval `json:"far_share"` // of runs with over 5 times the median
	Resolved float64  `json:"resolved"`  // gap between two arms that a run can tell apart
	Linear   int      `json:"linear"`    // runs that lose linearly
}

// TailsOf returns the tails of runs, in which sites decide in shares of all rounds.
//
// A run loses linearly if in the second half of its rounds it loses, for every decision, a
// quarter of the gap between the two best arms or Resolved, whichever is more: what arms
// that cannot be told from the best cost is no one's fault. Resolved is the radius of the level
// 2 ln T for the difference of two means over N sites of rewards of variance 1/4, if these two
// arms share the Dᵢ decisions of each site: √(2 ln T Σ 1/Dᵢ) / N.
func TailsOf(runs []Run, shares []float64) Tails {
	all := Finals(runs)
	worst := 0
	for i, x := range all {
		if x > all[worst] {
			worst = i
		}
	}
	t := Tails{Worst: all[worst], Seed: runs[worst].Seed}
	rounds := runs[0].Points[len(runs[0].Points)-1]
	decisions, rest := 0., 0. // of the average peer, and Σ 1/Dᵢ
	for _, share := range shares {
		decisions += share * float64(rounds) / float64(len(shares))
		rest += 1 / (share * float64(rounds))
	}
	t.Resolved = math.Sqrt(2*math.Log(float64(rounds))*rest) / float64(len(shares))
	for i := range runs {
		if late, part := runs[i].late(); late >= max(runs[i].Gap/4, t.Resolved)*decisions*part {
			t.Linear++
		}
	}
	slices.Sort(all)
	n := len(all)
	t.Median = (all[(n-1)/2] + all[n/2]) / 2
	above := 0
	for _, x := range all {
		if x > far*t.Median {
			above++
		}
	}
	t.Far = ShareOf(above, n)
	return t
}

// late returns the regret in the second half of a run, and how much of the run that is: its
// points may not have the middle.
func (r *Run) late() (regret, part float64) {
	rounds := r.Points[len(r.Points)-1]
	middle, before := uint64(0), 0.
	for k, p := range r.Points {
		if 2*p > rounds {
			break
		}
		middle, before = p, r.Regret[k]
	}
	return r.Final() - before, float64(rounds-middle) / float64(rounds)
}
