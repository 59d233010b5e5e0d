package node

import (
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/bandit/gram"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

// rawRecords are a peer's records that are not released, on which choices, or the times of
// messages, depend if a paper has it so. They are only in the belief that the learner is shown,
// and protocols do not get them. A curator of people's records refuses to return them. A nil
// *rawRecords is for a peer on whose raw records nothing depends.
type rawRecords struct {
	of     protocol.Raw
	belief bandit.Belief // scratch: with the records
	sums   []float64     // scratch
	unsent []unsentRecords
}

// unsentRecords are a stream's records since the last message.
type unsentRecords struct {
	sums  []float64 // exact
	n     uint64
	known []float64 // the belief after the last message; 0 before the first
	noise float64   // variance of the noise in each number of known
}

func newRawRecords(of protocol.Raw, streams, width int) *rawRecords {
	r := &rawRecords{of: of, unsent: make([]unsentRecords, streams)}
	for i := range r.unsent {
		r.unsent[i] = unsentRecords{sums: make([]float64, width), known: make([]float64, width)}
	}
	return r
}

// added returns a belief of sums with the records of the open leaves added, if choices depend on
// them.
func (r *rawRecords) added(b *bandit.Belief, c *dp.Curator) *bandit.Belief {
	if r == nil || !r.of.Choices {
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

// close adds the records of a leaf that is about to close to the unsent ones, and reports whether
// these are not worth a message yet: whether what they add to the log-determinant of what was
// known after the last message, times their number, is below the threshold (Dubey and Pentland
// 2020, Algorithm 1, line 12).
func (r *rawRecords) close(s dp.StreamID, c *dp.Curator) (early bool, err error) {
	if r == nil || r.of.News == 0 {
		return false, nil
	}
	leaf, n, err := c.Unreleased(s, r.sums[:0])
	if err != nil {
		return false, err
	}
	r.sums = leaf
	u := &r.unsent[s]
	u.n += n
	all := slices.Clone(u.known)
	for i, x := range leaf {
		u.sums[i] += x
		all[i] += u.sums[i]
	}
	growth, linear := gram.Growth(all, u.known, u.noise)
	return linear && float64(u.n)*growth < r.of.News, nil
}

// sent records that a message has left, after which the belief is b.
func (r *rawRecords) sent(s dp.StreamID, b *bandit.Belief) {
	if r == nil || r.of.News == 0 {
		return
	}
	parts := len(b.SampleVar)
	k, width := int(s)%parts, len(b.X)/parts
	u := &r.unsent[s]
	clear(u.sums)
	copy(u.known, b.X[k*width:][:width])
	u.n, u.noise = 0, b.GaussVar[k]+2*b.LaplaceSumSq[k]
}

// fields visits what is in no other state.
func (r *rawRecords) fields(v *state.Visitor) {
	if r == nil {
		return
	}
	for i := range r.unsent {
		u := &r.unsent[i]
		v.Floats(u.sums)
		v.Uint(&u.n)
		v.Floats(u.known)
		v.Float(&u.noise)
	}
}
