package site

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"peerd.dev/node"
	"peerd.dev/node/store"
)

// Status returns what the site has done so far. Everything in it is public, and nothing
// of it is taken back by a crash but the newest choices.
func (s *Site) Status(context.Context) (node.Status, error) {
	told := s.public.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	pending := told.pending
	if s.world == nil {
		pending += s.state.Decisions - told.decisions
	}
	return node.Status{
		Round: min(told.round, s.c.Rounds), Rounds: s.c.Rounds,
		Pulls: slices.Clone(s.state.Pulls), Means: told.shown.Means, Samples: told.shown.Samples, Noise: told.shown.Noise,
		Spent: s.c.Genesis.Budget.Epsilon.Float() - told.left, Left: told.left,
		Released: told.released, Refused: s.counts.refused, Skipped: s.counts.skipped, Flooded: s.counts.flooded,
		LastErr: s.counts.lastFault, Pending: pending, Records: told.records,
		Hold: s.why(), Full: s.held.full,
	}, nil
}

// why returns why nothing is released, or "".
func (s *Site) why() string {
	if why := s.held.why(); why != "" {
		return why
	}
	if ahead := s.c.Slots.Start.Add(time.Duration(s.state.Round) * s.c.Slots.Every).Sub(s.c.Now()); s.state.Begun && ahead > s.c.Slots.Every+maxJump {
		return fmt.Sprintf("the clock was ahead once: round %d has been played, and is %v from now. Nothing is released until then, or until the clock is set right", s.state.Round-1, ahead.Round(time.Second))
	}
	return ""
}

// Ledger yields at most limit records from number from on. A crash does not take them
// back.
func (s *Site) Ledger(_ context.Context, from, limit uint64) iter.Seq2[[]byte, error] {
	return records(s.store, from, s.public.Load().records, limit)
}

// Records yields at most limit ledger records of a store from number from on. They are
// the consumer's.
func Records(st *store.Store, from, limit uint64) iter.Seq2[[]byte, error] {
	return records(st, from, math.MaxUint64, limit)
}

// records yields at most limit records with numbers from one on and below another.
func records(st *store.Store, from, below, limit uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if limit == 0 || from >= below {
			return
		}
		n := uint64(0)
		for e, err := range st.Scan(store.Ledger, store.Number(from), store.Number(below)) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(slices.Clone(e.Value), nil) {
				return
			}
			if n++; n == limit {
				return
			}
		}
	}
}
