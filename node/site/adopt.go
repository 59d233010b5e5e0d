package site

import (
	"errors"
	"fmt"

	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
)

// ErrNothing is returned by [Site.Adopt] where there is nothing to recover from.
var ErrNothing = errors.New("no peer has said that it remembers more of this peer than there is here; start it once with `peerd run` so that it is told")

// ErrFork is returned by [Site.Adopt] where both histories went on.
var ErrFork = errors.New("another copy of this folder has released under the same key, and nobody can tell what: this folder stays silent. Use the other copy, or begin with a new folder and key: `peerd init`")

// Adopted says what [Site.Adopt] did.
type Adopted struct {
	Claimed uint64   `json:"claimed"` // records that a peer remembers
	Had     uint64   `json:"had"`     // records that were here, or had been given up here before
	Next    []uint64 `json:"next"`    // first leaf of every stream that may still be released
	Spent   bool     `json:"spent"`   // no stream has any left
}

// Adopt takes over from the peers that records were lost with a restored backup: the
// leaves that they may have released are given up, and the peer goes on as a new
// incarnation. It pays nothing anew; see docs/proofs/skip.md. The site is not
// running.
func (s *Site) Adopt() (Adopted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.held.claim
	switch {
	case c == nil:
		return Adopted{}, ErrNothing
	case c.Fork:
		return Adopted{}, ErrFork
	}
	incarnation, err := NewIncarnation(s.c.Now())
	if err != nil {
		return Adopted{}, err
	}
	a := Adopted{Claimed: c.Records, Had: s.chain.Next}
	if s.life.Taken > 0 { // a later one counts leaves that were given up; see below
		a.Had = s.life.Taken
	}
	lost := c.Records - min(c.Records, a.Had)
	records := uint64(1) // of the ledger, for a leaf of every stream that has closed one
	if s.c.Together {
		records = uint64(len(s.c.Arms))
		lost = (lost + records - 1) / records
	}
	s.broken = true // from here on the agent is of no use: the next start makes a new one
	agent, next, err := s.agent.Forsake(lost)
	if err != nil {
		return a, err
	}
	a.Next, a.Spent = next, true
	closed := make([]uint64, len(next))
	above := c.Records
	for k, n := range next {
		closed[k] = n - 1
		a.Spent = a.Spent && n > s.c.Leaves
		// Should another old copy be restored later, whatever it has closed, it must give
		// up what this life goes on with. All that it will know is how many records this
		// ledger has more; so there must be one for every leaf that is closed here.
		above = max(above, c.Records+closed[k]*records)
	}
	s.life.Incarnation = max(incarnation, s.life.Incarnation+1)
	s.life.Closed, s.life.Taken = closed, c.Records
	b := s.store.Batch()
	if err = s.append(b, &ledger.Gap{Claimed: above, Incarnation: s.life.Incarnation, Next: next}); err != nil {
		return a, err
	}
	s.life.Gap = s.chain.Next - 1
	life, err := encode(&s.life)
	if err != nil {
		return a, err
	}
	b.Set(store.Meta, []byte(lifeKey), life)
	snap, err := encode(saved{s.state, shown{}, s.step, s.chain.Next, agent.Bytes()})
	if err != nil {
		return a, err
	}
	b.Set(store.Snapshot, nil, snap)
	b.DeleteBelow(store.Log, store.Number(s.step+1))
	b.DeleteBelow(store.Outbox, store.Number(s.step+1))
	b.Delete(store.Meta, []byte(claimKey))
	if err = s.discount(b); err != nil {
		return a, err
	}
	if err = b.Commit(); err != nil {
		return a, err
	}
	s.held.claim = nil
	return a, nil
}

// discount makes the decisions that wait for their reward count no more: the lost life
// may have taken their rewards in.
func (s *Site) discount(b *store.Batch) error {
	for due, err := range s.store.Scan(store.Due, nil, nil) {
		if err != nil {
			return err
		}
		v, err := s.store.Get(store.Decision, due.Value)
		if err != nil {
			return err
		}
		c, err := parseChoice(v, len(s.c.Arms))
		if err != nil {
			return err
		}
		c.counted = false
		b.Set(store.Decision, due.Value, c.bytes())
	}
	return nil
}

func (a Adopted) String() string {
	if a.Spent {
		return fmt.Sprintf("took over from the peers that %d ledger records are lost. All that the budget pays for may have been released, so this peer will only listen", a.Claimed-min(a.Claimed, a.Had))
	}
	return fmt.Sprintf("took over from the peers that %d ledger records are lost. What they may have released is given up; the peer goes on with leaf %v of its streams, as a new incarnation", a.Claimed-min(a.Claimed, a.Had), a.Next)
}
