package protocol

import (
	"math"

	"peerd.dev/bandit/belief"
	"peerd.dev/bandit/gram"
	"peerd.dev/dp"
)

// LocalSchedule names when a peer of protocol local sends what it has released.
type LocalSchedule string

// The schedules.
const (
	FixedSchedule  LocalSchedule = "fixed"          // every batch
	LogDetSchedule LocalSchedule = "logdet-private" // when its log-determinant has grown enough
)

// slack is with what probability noise takes an eigenvalue below what determinants are
// computed with.
const slack = .01

// newsworthy reports whether the unsent batches of a stream are to be sent: with V the Gram matrix of
// all that the neighbourhood has released, and S the same without this peer's unsent batches of n decisions,
//
//	n·(ln det(V₊+ρI) - ln det(S₊+ρI)) ≥ threshold,
//
// where eigenvalues below 0 are raised to it and ρ is what noise can take off one, and 1. It is the
// criterion of Dubey and Pentland (2020, Algorithm 3, line 6), of released sums in place of raw
// ones: whether a row is sent, and when, is post-processing. Sums that are not of linear records have no
// determinant, and are sent.
func (l *local) newsworthy(stream dp.StreamID) bool {
	if l.threshold == 0 {
		return true
	}
	all := belief.New(1, l.width)
	l.addUp(&all, 0, int(stream), l.members)
	own, sent := &l.own[stream], &l.total[stream]
	n := own.Count(0)
	known := make([]float64, l.width) // to the neighbourhood
	for i, x := range all.X {
		known[i] = x - own.At(i)
		if !sent.Empty() {
			known[i] += sent.At(i)
		}
	}
	if !sent.Empty() {
		n -= sent.Count(0)
	}
	noise := all.GaussVar[0] + 2*all.LaplaceSumSq[0]
	after, linear := logDet(all.X, noise)
	before, _ := logDet(known, noise)
	return !linear || float64(n)*(after-before) >= l.threshold
}

// logDet returns ln det(V₊+ρI) of sums; false if they are not of linear records.
func logDet(sums []float64, noise float64) (x float64, linear bool) {
	d := int(math.Sqrt(float64(2*len(sums)+2))) - 1 // d(d+3)/2 numbers, or with squares of rewards one more
	for _, kind := range []gram.Kind{gram.Linear, gram.Corner} {
		if g, err := gram.Of(sums, noise, kind, d); err == nil {
			return g.LogDet(1 + g.Margin(slack)), true
		}
	}
	return 0, false
}
