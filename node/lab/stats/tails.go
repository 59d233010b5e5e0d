package stats

import "math"

// far is the factor of the median regret from which on a run is far from most.
const far = 5

// Tails describe the distribution of the regrets of runs at the end.
type Tails struct {
	Median   float64  `json:"median"`
	Worst    float64  `json:"worst"`
	Seed     uint64   `json:"worst_seed"`
	Far      Interval `json:"far_share"` // of runs with more than 5 times the median
	Resolved float64  `json:"resolved"`  // smallest gap between two arms that a run can distinguish
	Linear   int      `json:"linear"`    // runs with linear regret
}

// TailsOf returns the tails of runs whose sites decide in shares of all rounds.
//
// A run has linear regret if it loses, per decision, at least a quarter of the gap between the
// two best arms or Resolved, whichever is greater. It must do so both in the second half of its
// rounds and in the last quarter. So two kinds of regret do not count: the cost of arms that
// cannot be distinguished from the best one is unavoidable, and regret that has ended by the last
// quarter does not grow with the rounds. Resolved is the radius of level 2 ln T for the
// difference of two means over N sites of rewards of variance 1/4, if these two arms share the Dᵢ
// decisions of each site: √(2 ln T Σ 1/Dᵢ) / N.
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
		linear := true
		for _, from := range []float64{.5, .75} {
			late, part := runs[i].since(from)
			linear = linear && late >= max(runs[i].Gap/4, t.Resolved)*decisions*part
		}
		if linear {
			t.Linear++
		}
	}
	t.spread(all)
	return t
}

// since returns the regret of a run after a share of its rounds, and the exact share, since its
// points may not include the given one.
func (r *Run) since(share float64) (regret, part float64) {
	rounds := r.Points[len(r.Points)-1]
	from, before := uint64(0), 0.
	for k, p := range r.Points {
		if float64(p) > share*float64(rounds) {
			break
		}
		from, before = p, r.Regret[k]
	}
	return r.Final() - before, float64(rounds-from) / float64(rounds)
}
