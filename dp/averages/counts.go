package averages

import (
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/internal/vouch"
)

// Counts is a vector of pull counts that peers compare. It is made only of the counts of
// Releases.
type Counts struct {
	n      []uint64
	claims []uint64 // scratch
}

// NewCounts returns k counts of 0.
func NewCounts(k int) *Counts {
	return &Counts{n: make([]uint64, k)}
}

// Len returns how many counts there are.
func (c *Counts) Len() int { return len(c.n) }

// At returns count i.
func (c *Counts) At(i int) uint64 { return c.n[i] }

// Raise raises count i to the one count of r if that is greater.
func (c *Counts) Raise(i int, r *dp.Release) error {
	if r.Counts() != 1 {
		return dp.ErrShape
	}
	c.lift(i, r.Count(0))
	return nil
}

// RaiseTo raises every count to o's if that is greater. Both must have the same length.
func (c *Counts) RaiseTo(o *Counts) {
	for i, n := range o.n {
		c.lift(i, n)
	}
}

// RaiseToMax raises every count to r's if that is greater.
func (c *Counts) RaiseToMax(r *dp.Release) error {
	if r.Counts() != len(c.n) {
		return dp.ErrShape
	}
	for i := range c.n {
		c.lift(i, r.Count(i))
	}
	return nil
}

// RaiseToRank raises every count to the (f+1)-th largest of the claims if that is greater: f
// liars alone cannot raise it. Empty claims are skipped; with f claims or fewer nothing changes.
// Claims of another length panic.
func (c *Counts) RaiseToRank(claims []dp.Release, f int) {
	for i := range c.n {
		c.claims = c.claims[:0]
		for _, r := range claims {
			if !r.Empty() {
				c.claims = append(c.claims, r.Count(i))
			}
		}
		if len(c.claims) <= f {
			continue
		}
		slices.Sort(c.claims)
		c.lift(i, c.claims[len(c.claims)-1-f])
	}
}

// Release returns the present counts as a Release without values.
func (c *Counts) Release() (r dp.Release) {
	c.ReleaseTo(vouch.For(&r))
	return r
}

// ReleaseTo makes to what Release returns, in to's memory, as [dp.Release.CopyTo] does.
func (c *Counts) ReleaseTo(to vouch.Value[*dp.Release]) { dp.Remake(to, dp.Fields{Count: c.n}) }

// Save returns the state, which is public.
func (c *Counts) Save() []byte { return state.Save(stateVersion, c.fields) }

// Load restores the state of the same number of counts. An error wraps [dp.ErrState] and leaves the
// state unchanged.
func (c *Counts) Load(saved vouch.Value[[]byte]) error {
	next := NewCounts(len(c.n))
	if err := state.Load(saved.Get(), stateVersion, next.fields); err != nil {
		return err
	}
	c.n = next.n
	return nil
}

func (c *Counts) fields(v *state.Visitor) {
	for i := range c.n {
		v.Uint(&c.n[i])
	}
}

func (c *Counts) lift(i int, n uint64) {
	c.n[i] = max(c.n[i], n)
}
