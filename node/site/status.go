package site

import (
	"context"
	"iter"
	"slices"

	"peerd.dev/node"
	"peerd.dev/node/store"
)

// Status returns what the site has done so far. Everything in it is public.
func (s *Site) Status(context.Context) (node.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return node.Status{
		Round: min(s.state.Round, s.c.Rounds), Rounds: s.c.Rounds,
		Pulls: slices.Clone(s.state.Pulls), Means: slices.Clone(s.shown.Means), Samples: s.shown.Samples, Noise: s.shown.Noise,
		Spent: s.c.Genesis.Budget.Float() - s.state.Left, Left: s.state.Left,
		Released: s.state.Released, Refused: s.counts.refused, Skipped: s.counts.skipped, Flooded: s.counts.flooded,
		LastErr: s.counts.lastFault, Pending: s.counts.pending, Records: s.chain.Next,
		Hold: s.held.why(), Full: s.held.full,
	}, nil
}

// Ledger yields at most limit records from number from on. A crash does not take them
// back.
func (s *Site) Ledger(_ context.Context, from, limit uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := Records(s.store, from, limit) // reads only once it is ranged over
		b := s.store.Batch()
		b.Set(store.Meta, []byte(againKey), nil)
		// What is visible now is durable once this is; what comes later is not read, as a
		// scan sees the store as it was at its beginning.
		records, stop := iter.Pull2(lines)
		defer stop()
		line, err, ok := records()
		if failed := b.Commit(); failed != nil {
			yield(nil, failed)
			return
		}
		for ; ok; line, err, ok = records() {
			if !yield(line, err) {
				return
			}
		}
	}
}

// Records yields at most limit ledger records of a store from number from on. They
// are the consumer's.
func Records(st *store.Store, from, limit uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if limit == 0 {
			return
		}
		n := uint64(0)
		for e, err := range st.Scan(store.Ledger, store.Number(from), nil) {
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
