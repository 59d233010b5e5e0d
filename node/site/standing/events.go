package standing

import (
	"errors"
	"fmt"
	"slices"

	"peerd.dev/dp/state"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// Agrees records that a neighbour is connected with no other process under this key.
func (s *Standing) Agrees(id string) { delete(s.rivals, id) }

// Remembers records a checkpoint of this peer's ledger that a peer remembers, and whether this peer has signed it. If several
// peers remember records that are missing here, the one that remembers most counts. What this peer has not signed
// shows nothing that is missing here. It reports whether a neighbour that is waited for agrees.
func (s *Standing) Remembers(from protocol.Peer, id string, m protocol.Checkpoint, signed bool) (agrees bool) {
	ours, err := s.Has(id, m)
	switch {
	case err != nil:
		s.failed(err)
	case ours:
		if !slices.Contains(s.Awaited(), id) {
			return false // it was never linked with this life
		}
		if len(s.agree) == 0 {
			s.since = s.Now()
		}
		s.agree[id], s.remembered[id] = true, max(s.remembered[id], m.Records)
		if s.open {
			s.failed(s.keepWitnesses())
		}
		return true
	case !signed:
		s.Log.Warn("a neighbour states a checkpoint of this peer that this peer has not signed: it counts as one that has not reported", "neighbour", s.members.Name(id), "states", m.String())
	default:
		s.misses(from, m)
	}
	return false
}

// failed logs an error of the store.
func (s *Standing) failed(err error) {
	if err != nil {
		s.Log.Error("store", "err", err)
	}
}

// misses records that a peer remembers what is missing here.
//
// If nothing was released in this run yet, this folder is an older state of the ledger that
// the peer remembers. Otherwise both have continued. A gap is as long as a lost life may have
// been.
func (s *Standing) misses(from protocol.Peer, m protocol.Checkpoint) {
	x := &Evidence{from, m.Records, m.Head, !s.fresh() && (s.open || s.Life.Gap < m.Records && m.Records <= s.Ledger.Next)}
	old := s.evidence
	if old != nil {
		if x.join(old); *x == *old {
			return
		}
	}
	s.evidence = x
	s.silent.Store(true)
	b := s.Store.Batch()
	b.Set(store.Meta, []byte(evidenceKey), x.bytes())
	err := b.Commit()
	if err == nil && old != nil {
		return // one alarm is enough
	}
	alarm := errors.Join(errors.New(s.Reason()), err)
	s.alarm(alarm, fmt.Errorf("%w: %w", ErrOldCopy, alarm))
}

// fresh reports whether nothing was released since this life began, either in a new folder under
// an old key or after a recovery.
func (s *Standing) fresh() bool {
	if s.Life.Began() {
		return s.Ledger.Next == s.Life.Gap+1
	}
	return *s.Released == 0
}

// Rival records that a neighbour is connected with another process under this peer's key: a
// copy of the folder is running. A site that has not been open stays blocked; one that has been
// open releases nothing more, since the copy may have been accepted in the meantime.
func (s *Standing) Rival(id string) {
	if s.shut || s.rivals[id] {
		return
	}
	s.rivals[id] = true
	if s.shut = s.open; !s.shut {
		s.Log.Warn("nothing is released yet", "reason", s.Reason())
		return
	}
	s.silent.Store(true)
	alarm := errors.New(s.Reason())
	s.alarm(alarm, alarm)
}

// alarm logs why nothing is released any more, and raises the alarm.
func (s *Standing) alarm(why, alarm error) {
	s.Log.Error("alarm: nothing is released", "reason", why)
	if s.Alarm != nil {
		go s.Alarm(alarm)
	}
}

// evidenceVersion is the version of stored evidence.
const evidenceVersion = 2

// Evidence is what a peer remembers that is missing here.
type Evidence struct {
	Peer    protocol.Peer
	Records uint64
	Head    ledger.Hash
	Fork    bool // both histories have continued, so what was released is not known
}

func (x *Evidence) fields(v *state.Visitor) {
	state.Number(v, &x.Peer)
	v.Uint(&x.Records)
	form.Array(v, x.Head[:])
	v.Bool(&x.Fork)
}

func (x *Evidence) bytes() []byte { return state.Save(evidenceVersion, x.fields) }

func parseEvidence(b []byte) (x Evidence, err error) {
	err = form.Decode("rollback evidence", b, evidenceVersion, evidenceVersion, x.fields)
	return x, err
}

// join adds what was known before: what is remembered most counts, and a fork stays one.
func (x *Evidence) join(old *Evidence) {
	x.Fork = x.Fork || old.Fork
	if old.Records > x.Records {
		x.Peer, x.Records, x.Head = old.Peer, old.Records, old.Head
	}
}

// Had returns how many of the records here neighbours have confirmed or, after a recovery,
// how many it knew of: later records are about abandoned leaves.
func (s *Standing) Had() uint64 {
	switch {
	case s.Life.Began():
		return s.Life.Taken
	case len(s.Awaited()) == 0:
		return s.Ledger.Next
	}
	return *s.Confirmed
}

// Has reports whether the ledger once had the length in m, with m's head. For a neighbour that
// the operator excluded from the recovery, only records from the gap on count; once this life is open, others may have
// heard of the records from such a neighbour.
func (s *Standing) Has(id string, m protocol.Checkpoint) (bool, error) {
	x := s.Life
	switch {
	case m.Records <= x.Taken, m.Records <= x.Gap && (slices.Contains(x.Without, id) || x.Opened && len(x.Without) > 0):
		return true, nil
	case m.Records > s.Ledger.Next:
		return false, nil
	case m.Records == s.Ledger.Next:
		return m.Head == s.Ledger.Head, nil
	}
	line, err := s.Store.Get(store.Ledger, store.Number(m.Records-1))
	return line != nil && ledger.HashOf(line) == m.Head, err
}
