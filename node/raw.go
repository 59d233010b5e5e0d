package node

import (
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp"
)

// rawRecords are those of a peer's open leaves, from which choices follow where a paper has it so.
// They are in no belief but the one that the learner is shown. A curator of people's records refuses.
type rawRecords struct {
	belief bandit.Belief // scratch: with the records
	sums   []float64     // scratch
}

// added returns a belief of sums with the records of the open leaves added. A nil receiver adds
// nothing.
func (r *rawRecords) added(b *bandit.Belief, c *dp.Curator) *bandit.Belief {
	if r == nil {
		return b
	}
	x, variance := append(r.belief.X[:0], b.X...), append(r.belief.SampleVar[:0], b.SampleVar...)
	r.belief = *b
	r.belief.X, r.belief.SampleVar = x, variance
	width := len(x) / len(variance)
	for k := range variance {
		sums, n, err := c.Unreleased(dp.StreamID(k), slices.Grow(r.sums[:0], width))
		r.sums = sums
		if err != nil || n == 0 {
			continue
		}
		for i, s := range sums {
			x[k*width+i] += s
		}
		variance[k] = 1 / (1/variance[k] + float64(n))
	}
	return &r.belief
}
