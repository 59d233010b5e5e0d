package site

import (
	"fmt"

	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
)

// keepConfirmed makes the present state, in which a folder has drawn nothing yet, the confirmed
// snapshot.
func (s *Site) keepConfirmed(b *store.Batch) error {
	x, err := s.snapshot()
	b.Set(store.Snapshot, []byte(confirmedKey), x.bytes())
	s.confirmed.kept, s.confirmed.round = x.records, x.state.Round
	return err
}

// openConfirmed reads the position of the confirmed snapshot.
func (s *Site) openConfirmed() error {
	x, err := s.readConfirmed()
	s.confirmed = confirmed{kept: x.records, round: x.state.Round}
	return err
}

// readConfirmed reads the confirmed snapshot.
func (s *Site) readConfirmed() (x snapshot, err error) {
	v, err := s.store.Get(store.Snapshot, []byte(confirmedKey))
	if err != nil {
		return x, err
	}
	if v == nil {
		return x, fmt.Errorf("no snapshot that neighbours confirmed: %w", ErrOlder)
	}
	return parseSnapshot(v, len(s.c.Arms))
}

// confirm keeps the candidate once half of the neighbours that may remember this life remember it, and makes the
// present state the next candidate.
func (s *Site) confirm() error {
	h := &s.confirmed
	if s.broken || s.store.Full() {
		return nil
	}
	for range 2 {
		if h.candidate == nil {
			if s.chain.Next <= h.kept {
				return nil
			}
			x, err := s.snapshot()
			if err != nil {
				return err
			}
			h.candidate = &x
		}
		if !s.standing.Half(h.candidate.records) {
			return nil
		}
		b := s.store.Batch()
		b.Set(store.Snapshot, []byte(confirmedKey), h.candidate.bytes())
		if err := b.Commit(); err != nil {
			return err
		}
		h.kept, h.round, h.candidate = h.candidate.records, h.candidate.state.Round, nil
	}
	return nil
}

// goBack makes the confirmed snapshot the state of the agent, and removes later records from the
// ledger. A site without neighbours, which sends nothing, keeps its state.
func (s *Site) goBack(b *store.Batch) error {
	if len(s.standing.Awaited()) == 0 {
		return nil
	}
	x, err := s.readConfirmed()
	if err != nil {
		return err
	}
	if s.agent, err = s.c.Agent(s.life.Life); err != nil {
		return err
	}
	if err = s.loadAgent(&x); err != nil {
		return err
	}
	last, err := s.store.Get(store.Ledger, store.Number(x.records-1))
	if err != nil {
		return err
	}
	if s.chain, err = ledger.Resume(last); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	b.DeleteFrom(store.Ledger, store.Number(x.records))
	b.DeleteFrom(store.Opening, store.Number(x.records))
	s.state.Released, s.state.Left = x.state.Released, s.agent.Left()
	return nil
}
