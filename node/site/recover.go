package site

import (
	"errors"
	"fmt"

	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
)

// ErrNothing is returned by [Site.Recover] where there is nothing to recover from.
var ErrNothing = errors.New("no peer has reported that it remembers more of this peer than there is here; start this peer once with `peerd run`, so that its neighbours can report")

// ErrFork is returned by [Site.Recover] where both histories went on.
var ErrFork = errors.New("another copy of this folder has released under the same key, and what it released is not known: this folder releases nothing any more. Use the other copy, or begin with a new folder and key: `peerd init`")

// Recovered says what [Site.Recover] did.
type Recovered struct {
	Claimed uint64   `json:"claimed"` // records that a peer remembers
	Had     uint64   `json:"had"`     // records that were here, or had been given up here before
	Next    []uint64 `json:"next"`    // first leaf of every stream that may still be released
	Spent   bool     `json:"spent"`   // there are streams, and none has a leaf left
}

// Recover accepts from the peers that records were lost with a restored backup: the
// leaves that they may have released are given up, and the peer goes on as a new
// incarnation. Nothing is charged a second time; see docs/proofs/skip.md. The site is not
// running.
func (s *Site) Recover() (Recovered, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	evidence := s.blocked.evidence
	switch {
	case evidence == nil:
		return Recovered{}, ErrNothing
	case evidence.Fork:
		return Recovered{}, ErrFork
	}
	incarnation, err := NewIncarnation(s.c.Now())
	if err != nil {
		return Recovered{}, err
	}
	r := Recovered{Claimed: evidence.Records, Had: s.chain.Next}
	if s.life.Taken > 0 { // a later one counts leaves that were given up; see below
		r.Had = s.life.Taken
	}
	records := s.c.recordsPerLeaf()
	lost := evidence.Records - min(evidence.Records, r.Had)
	lost = lost/records + min(1, lost%records)
	s.broken = true // from here on the agent is of no use: the next start makes a new one
	agent, next, err := s.agent.AbandonLeaves(lost)
	if err != nil {
		return r, err
	}
	r.Next, r.Spent = next, len(next) > 0
	above := evidence.Records
	for _, n := range next {
		r.Spent = r.Spent && n > s.c.Cadence.Leaves(s.c.Horizon)
		// Should another old copy be restored later, whatever it has closed, it must give
		// up what this life goes on with. All that it will know is how many records this
		// ledger has more; so there must be one for every leaf that is closed here.
		above = max(above, evidence.Records+(n-1)*records)
	}
	s.life.Incarnation = max(incarnation, s.life.Incarnation+1)
	s.life.Taken = evidence.Records
	b := s.store.Batch()
	if err = s.append(b, &ledger.Gap{Claimed: above, Incarnation: s.life.Incarnation, Next: next}); err != nil {
		return r, err
	}
	s.life.Gap = s.chain.Next - 1
	b.Set(store.Meta, []byte(lifeKey), s.life.bytes())
	x := snapshot{state: s.state, step: s.step, records: s.chain.Next, agent: agent.Bytes()}
	x.played, x.world = s.saveWorld()
	b.Set(store.Snapshot, nil, x.bytes())
	b.DeleteBelow(store.Log, store.Number(s.step+1))
	b.DeleteBelow(store.Outbox, store.Number(s.step+1))
	b.Delete(store.Meta, []byte(evidenceKey))
	if err = s.uncount(b); err != nil {
		return r, err
	}
	if err = b.Commit(); err != nil {
		return r, err
	}
	s.blocked.evidence = nil
	return r, nil
}

// recordsPerLeaf returns how many ledger records at least there are of a leaf that is
// closed: one of each stream that closes with it.
func (c *Config) recordsPerLeaf() uint64 {
	if !c.Cadence.SynchronousLeaves() {
		return 1
	}
	return max(1, uint64(c.Streams)/max(1, c.Cadence.Lanes))
}

// uncount makes the decisions that wait for their reward count no more: the lost life
// may have taken their rewards in.
func (s *Site) uncount(b *store.Batch) error {
	for due, err := range s.store.Scan(store.Due, nil, nil) {
		if err != nil {
			return err
		}
		v, err := s.store.Get(store.Decision, due.Value)
		if err != nil {
			return err
		}
		c, err := parseChoice(v, s.c.shape())
		if err != nil {
			return err
		}
		c.counted = false
		b.Set(store.Decision, due.Value, c.bytes())
	}
	return nil
}

func (r Recovered) String() string {
	lost := r.Claimed - min(r.Claimed, r.Had)
	switch {
	case r.Spent:
		return fmt.Sprintf("accepted from the peers that %d ledger records are lost. All that the budget pays for may have been released, so this peer releases nothing any more; it goes on receiving", lost)
	case len(r.Next) == 0:
		return fmt.Sprintf("accepted from the peers that %d ledger records are lost. This peer has no streams, so nothing is given up; it goes on as a new incarnation", lost)
	}
	return fmt.Sprintf("accepted from the peers that %d ledger records are lost. What they may have released is given up; the peer goes on with leaf %v of its streams, as a new incarnation", lost, r.Next)
}
