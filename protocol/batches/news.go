package batches

import (
	"peerd.dev/bandit/belief"
	"peerd.dev/bandit/gram"
	"peerd.dev/dp"
)

// NewsSchedule says when a peer sends the batches that it has released.
type NewsSchedule string

// The schedules.
const (
	FixedSchedule  NewsSchedule = "fixed"          // every batch
	LogDetSchedule NewsSchedule = "logdet-private" // when its log-determinant has grown enough
)

// released returns the threshold for news in released records; 0 if they decide nothing.
func (s NewsSchedule) released(threshold float64) float64 {
	if s == LogDetSchedule {
		return threshold
	}
	return 0
}

// newsworthy reports whether the unsent batches of a stream are to be sent: with V the Gram matrix
// of the peer's whole belief, and S the same without its unsent batches of n decisions,
//
//	n·(ln det(V₊+ρI) - ln det(S₊+ρI)) ≥ threshold,
//
// as [gram.Growth] has it. It is the criterion of Dubey and Pentland (2020, Algorithm 1, line 12,
// and Algorithm 3, line 6) for released sums in place of raw ones, so it is post-processing. Sums
// of other than linear records have no determinant, and are sent.
func newsworthy(all *belief.Belief, own, sent *dp.Release, threshold float64) bool {
	n := own.Count(0)
	known := make([]float64, len(all.X)) // to others
	for i, x := range all.X {
		known[i] = x - own.At(i)
		if !sent.Empty() {
			known[i] += sent.At(i)
		}
	}
	if !sent.Empty() {
		n -= sent.Count(0)
	}
	growth, linear := gram.Growth(all.X, known, all.GaussVar[0]+2*all.LaplaceSumSq[0])
	return !linear || float64(n)*growth >= threshold
}
