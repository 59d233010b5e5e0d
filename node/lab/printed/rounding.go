package printed

import (
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/vouch"
)

// rounding gives a record as a peer's curator adds it up, that is, clipped and rounded to the grid. It is a
// curator without noise, a leaf of which is one record.
type rounding struct {
	curator *dp.Curator
	leaves  uint64
	sums    []float64 // of all records
	record  []float64 // the newest
}

// newRounding returns the rounding of records of streams.
func newRounding(s dp.Spec) (*rounding, error) {
	s.Streams, s.Mechanism, s.Leaves, s.Sigma = 1, dp.None, dp.MaxLeaves, 0
	c, err := dp.NewCurator(dp.Lockstep, vouch.For(account.Unlimited), dp.NewSeededSource([32]byte{}))
	if err == nil {
		_, err = c.Open(s)
	}
	return &rounding{curator: c}, err
}

// round returns the rounded record, which is valid until the next one.
func (r *rounding) round(x []float64) ([]float64, error) {
	if err := r.curator.Add(0, x); err != nil {
		return nil, err
	}
	r.leaves++
	leaf, err := r.curator.Leaf(0, r.leaves)
	if err != nil {
		return nil, err
	}
	if r.sums == nil {
		r.sums, r.record = make([]float64, leaf.Sum.Len()), make([]float64, leaf.Sum.Len())
	}
	for i := range r.sums {
		sum := leaf.Sum.At(i)
		r.record[i], r.sums[i] = sum-r.sums[i], sum // multiples of the grid, so that this is exact
	}
	r.curator.TakeDrawn()
	return r.record, nil
}
