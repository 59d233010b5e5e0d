package site

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// checkpoint returns the end of the ledger, which may not be durable yet.
func (s *Site) checkpoint() protocol.Checkpoint {
	return protocol.Checkpoint{Records: s.chain.Next, Head: s.chain.Head}
}

// append adds a record to the ledger.
func (s *Site) append(b *store.Batch, body ledger.Body) error {
	line, err := s.chain.Append(body)
	if err != nil {
		return err
	}
	b.Set(store.Ledger, store.Number(s.chain.Next-1), line)
	return nil
}

// readChain finds the end of the ledger.
func (s *Site) readChain() error {
	last, ok, err := s.store.Last(store.Ledger)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%w: no ledger", ErrDamaged)
	}
	if s.chain, err = ledger.Resume(last.Value); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if n := store.ReadNumber(last.Key); n+1 != s.chain.Next {
		return fmt.Errorf("%w: ledger record %d is numbered %d", ErrDamaged, n, s.chain.Next-1)
	}
	return nil
}

// Ledger yields at most limit records from number from on. A crash does not undo them.
func (s *Site) Ledger(_ context.Context, from, limit uint64) iter.Seq2[[]byte, error] {
	return records(s.store, from, s.durable.Load().ledger.Records, limit, false)
}

// Records yields at most limit ledger records of a store from number from on. The consumer owns
// them.
func Records(st *store.Store, from, limit uint64) iter.Seq2[[]byte, error] {
	return records(st, from, math.MaxUint64, limit, false)
}

// Opened yields all ledger records of a store, each with what opens it behind it.
func Opened(st *store.Store) iter.Seq2[[]byte, error] {
	return records(st, 0, math.MaxUint64, math.MaxUint64, true)
}

// records yields at most limit records with numbers from from on and below below.
func records(st *store.Store, from, below, limit uint64, opened bool) iter.Seq2[[]byte, error] {
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
			if opened {
				if line, err := st.Get(store.Opening, e.Key); (line != nil || err != nil) && !yield(line, err) {
					return
				}
			}
			if n++; n == limit {
				return
			}
		}
	}
}

// MostRecords returns more records than any ledger of this network can have.
func (s *Site) MostRecords() uint64 { return s.most }
