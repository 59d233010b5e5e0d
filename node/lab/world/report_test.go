package world

import (
	"math"

	"peerd.dev/bandit"
)

// A Report describes a split, for the preparation of an experiment. Its statistics are not
// protected: print them next to a figure on published data, and never send them.
type Report struct {
	Reach int        // most sites that one patient has encounters at
	Best  bandit.Arm // of all sites' encounters together
	Sites []Site
}

// A Site is a Report's line on one site. An encounter that qualifies for several
// arms counts in each.
type Site struct {
	Rows   int        // encounters, with or without an arm
	Counts []int      // encounters by arm
	Means  []float64  // mean reward by arm; NaN for an arm without encounters
	Best   bandit.Arm // arm with the greatest mean
	Gap    float64    // by how much Best pays more here than the Report's Best, ≥ 0
}

// NewReport describes the sites of a split.
func NewReport(sites []*Records) Report {
	r := Report{Reach: reach(sites)}
	var all Records
	for _, s := range sites {
		all.rows = append(all.rows, s.rows...)
	}
	r.Best = best(all.Means())
	for _, s := range sites {
		l := Site{Rows: s.Rows(), Counts: s.Counts(), Means: s.Means()}
		l.Best = best(l.Means)
		l.Gap = l.Means[l.Best] - l.Means[r.Best]
		r.Sites = append(r.Sites, l)
	}
	return r
}

// best returns the arm with the greatest mean, the lowest of several, passing
// over NaN.
func best(means []float64) bandit.Arm {
	arg := 0
	for a, m := range means {
		if m > means[arg] || math.IsNaN(means[arg]) {
			arg = a
		}
	}
	return bandit.Arm(arg)
}

// Patients returns the number of patients.
func (r *Records) Patients() int { return len(r.encounters()) }

// MaxEncounters returns the number of encounters of the patient with most.
func (r *Records) MaxEncounters() int {
	most := 0
	for _, n := range r.encounters() {
		most = max(most, n)
	}
	return most
}
