package world

import (
	"fmt"

	"peerd.dev/bandit"
)

// Records are encounters of the diabetes data, in file order: all of it, or what
// one site holds. They never change; Single, Cap and Split return others.
//
// The data is "Diabetes 130-US hospitals for years 1999-2008" (Strack et al.,
// BioMed Research International 2014; UCI Machine Learning Repository, CC BY
// 4.0). An arm is a treatment and the reward is 1 if the patient came back after
// more than 30 days, as Zhu, Zhu, Liu and Liu 2021, section 5.2, have it.
//
// That paper does not say what becomes of an encounter with steady doses of
// drugs of several arms. Two readings are kept; others, which look at drugs
// whose dose went up or down as well, fit no known figure.
//
//   - Every: an encounter counts in each arm that it qualifies for, whatever
//     its other drugs do. This is what Load returns, and it alone gives the
//     overall means .340, .336, .379, .363, .309 that were to be reproduced.
//     Of 101,766 encounters 85,064 qualify for an arm, 21,616 of them for
//     several.
//   - Single: only encounters that qualify for one arm count (63,448). The means
//     are .339, .340, .395, .381, .309. In contiguous thirds only the second
//     hospital is wrong, and by .0066; under the first reading by .0069.
//
// No reading was found that gives both the five means and the .0066.
type Records struct {
	// By pointer, because fmt cannot call Format on what another struct hides: it
	// then prints addresses.
	rows []*record
}

// record is one encounter.
type record struct {
	patient uint64
	row     int    // in the file, from 0
	arms    armset // that it qualifies for; often none
	reward  bandit.Reward
}

// Format implements [fmt.Formatter], so that no patient is printed.
func (r Records) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Rows returns the number of encounters, with or without an arm.
func (r *Records) Rows() int { return len(r.rows) }

// Counts returns how many encounters qualify for each arm. One that qualifies
// for several counts in each.
func (r *Records) Counts() []int {
	n := make([]int, arms)
	for _, e := range r.rows {
		for s := e.arms; s != 0; s &= s - 1 {
			n[s.first()]++
		}
	}
	return n
}

// Means returns the mean reward of the encounters that qualify for each arm, NaN
// for an arm without any. It is a statistic of private data that nothing
// protects: for the referee only.
func (r *Records) Means() []float64 {
	sum, n := make([]float64, arms), r.Counts()
	for _, e := range r.rows {
		for s := e.arms; s != 0; s &= s - 1 {
			sum[s.first()] += float64(e.reward)
		}
	}
	for a := range sum {
		sum[a] /= float64(n[a])
	}
	return sum
}

// Single returns the encounters that qualify for exactly one arm.
func (r *Records) Single() *Records {
	out := new(Records)
	for _, e := range r.rows {
		if e.arms.size() == 1 {
			out.rows = append(out.rows, e)
		}
	}
	return out
}

// encounters counts the encounters of each patient.
func (r *Records) encounters() map[uint64]int {
	n := make(map[uint64]int, len(r.rows))
	for _, e := range r.rows {
		n[e.patient]++
	}
	return n
}
