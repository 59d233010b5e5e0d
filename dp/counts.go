package dp

import (
	"encoding/binary"
	"slices"
)

// Counts is a vector of pull counts that peers compare. It is made of the
// counts of Releases alone.
type Counts struct {
	n      []uint64
	shown  Release // what Release returned last; the counts as they are, unless stale
	stale  bool
	claims []uint64 // scratch
	out    slab[uint64]
}

// NewCounts returns k counts of 0.
func NewCounts(k int) *Counts {
	return &Counts{n: make([]uint64, k), stale: true}
}

// Len returns how many counts there are.
func (c *Counts) Len() int { return len(c.n) }

// At returns count i.
func (c *Counts) At(i int) uint64 { return c.n[i] }

// Raise lifts count i to the one count of r, if that is more.
func (c *Counts) Raise(i int, r *Release) error {
	if len(r.count) != 1 {
		return ErrShape
	}
	c.lift(i, r.count[0])
	return nil
}

// RaiseTo lifts every count to o's, where that is more. Both have as many.
func (c *Counts) RaiseTo(o *Counts) {
	c.liftAll(o.n)
}

// RaiseToMax lifts every count to r's, where that is more.
func (c *Counts) RaiseToMax(r *Release) error {
	if len(r.count) != len(c.n) {
		return ErrShape
	}
	c.liftAll(r.count)
	return nil
}

// RaiseToRank lifts every count to the (f+1)-th largest of the claims, where
// that is more: f liars alone cannot lift it. Empty claims are passed over; with
// f claims or fewer nothing changes. Claims of another length panic.
func (c *Counts) RaiseToRank(claims []Release, f int) {
	for i := range c.n {
		c.claims = c.claims[:0]
		for _, r := range claims {
			if !r.Empty() {
				c.claims = append(c.claims, r.count[i])
			}
		}
		if len(c.claims) <= f {
			continue
		}
		slices.Sort(c.claims)
		c.lift(i, c.claims[len(c.claims)-1-f])
	}
}

// Release returns the counts as they are now, as a Release without values.
func (c *Counts) Release() Release {
	if c.stale {
		n := c.out.alloc(len(c.n))
		copy(n, c.n)
		c.shown, c.stale = Release{count: n}, false
	}
	return c.shown
}

// ReleaseTo makes r what Release returns, where r is empty or was made so before: then its
// memory is used again, and copies of it change.
func (c *Counts) ReleaseTo(r *Release) { r.count = append(r.count[:0], c.n...) }

// Save returns the state, which is public.
func (c *Counts) Save() []byte {
	b := []byte{stateVersion}
	for _, n := range c.n {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// Load takes over the state of as many counts. The error wraps [ErrState], and then
// nothing has changed.
func (c *Counts) Load(saved []byte) error {
	r := newReader(saved)
	next := make([]uint64, len(c.n))
	for i := range next {
		next[i] = r.uint()
	}
	if err := r.end(); err != nil {
		return err
	}
	c.n, c.stale = next, true
	return nil
}

func (c *Counts) lift(i int, n uint64) {
	if n > c.n[i] {
		c.n[i], c.stale = n, true
	}
}

// liftAll lifts every count to the one of all, of which there are as many. Without branches:
// which counts are lifted cannot be predicted.
func (c *Counts) liftAll(all []uint64) {
	own, lifted := c.n[:len(all)], uint64(0)
	for i, n := range all {
		n = max(n, own[i])
		lifted |= n ^ own[i]
		own[i] = n
	}
	c.stale = c.stale || lifted != 0
}
