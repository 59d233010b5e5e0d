package site

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// ErrOldCopy is wrapped by the errors of an Alarm: a peer remembers records of this peer's ledger
// that this ledger does not have.
var ErrOldCopy = errors.New("this folder was restored from a backup, or its key runs twice")

// blocked is what a site knows about whether it may release; its [standing] is what follows. A site starts blocked, until
// its neighbours have reported what they remember, since a folder cannot itself show that it is an old copy. While no
// neighbour can be reached, there is also no peer to send to.
type blocked struct {
	witnesses []string        // ids of the neighbours that may remember this life: those that have linked with it, and those it was founded with
	before    []string        // the witnesses at the start
	agree     map[string]bool // ids of neighbours that remember nothing that is missing here
	since     time.Time       // when the first of them reported
	open      bool            // something may be released
	current   bool            // it was opened, and not by the start after a recovery, which has lost what it had
	rivals    map[string]bool // ids of neighbours that are connected with another process under this key
	shut      bool            // there was such a rival while this process was open, so it releases nothing more
	evidence  *rollbackEvidence
	full      bool
}

// readBlocked reads the evidence that an earlier start stored.
func (s *Site) readBlocked() error {
	s.blocked.agree, s.blocked.rivals = make(map[string]bool), make(map[string]bool)
	v, err := s.store.Get(store.Meta, []byte(witnessKey))
	if err != nil {
		return err
	}
	if v != nil {
		if err = decode("witnesses", v, witnessVersion, witnessVersion, s.blocked.witnessFields); err != nil {
			return err
		}
	}
	s.blocked.before = s.blocked.witnesses
	if v, err = s.store.Get(store.Meta, []byte(evidenceKey)); err != nil || v == nil {
		return err
	}
	x, err := parseEvidence(v)
	s.blocked.evidence = &x
	s.silent.Store(true)
	return err
}

// OnRemembered records what a neighbour remembers of this peer's ledger, and whether this peer has signed it. If several
// neighbours remember records that are missing here, the one that remembers most counts. What this peer has not signed
// shows nothing that is missing here.
func (s *Site) OnRemembered(from protocol.Peer, m protocol.Checkpoint, signed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	delete(s.blocked.rivals, s.c.ID(from))
	s.remembered(from, m, signed)
}

// OnMemory records a checkpoint with this peer's signature that a peer has shown, linked or not. So a peer that was
// unlinked reports what it remembers, and a neighbour before its link is up.
func (s *Site) OnMemory(from protocol.Peer, m protocol.Checkpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		s.remembered(from, m, true)
	}
}

func (s *Site) remembered(from protocol.Peer, m protocol.Checkpoint, signed bool) {
	id := s.c.ID(from)
	ours, err := s.has(id, m)
	if err != nil {
		s.log.Error("store", "err", err)
		return
	}
	if ours {
		if !slices.Contains(s.awaited(), id) {
			return // it was never linked with this life
		}
		if len(s.blocked.agree) == 0 {
			s.blocked.since = s.c.Now()
		}
		s.blocked.agree[id] = true
		if s.blocked.open {
			if err = s.keepWitnesses(); err != nil {
				s.log.Error("store", "err", err)
			}
		}
		if err = s.confirm(id, m.Records); err != nil {
			s.log.Error("store", "err", err)
		}
		return
	}
	if !signed {
		s.log.Warn("a neighbour states a checkpoint of this peer that this peer has not signed: it counts as one that has not reported", "neighbour", s.c.Name(id), "states", m)
		return
	}
	// If nothing was released in this run yet, this folder is an older state of the ledger that
	// the peer remembers. Otherwise both have continued. A gap is as long as a lost life may have
	// been.
	x := &rollbackEvidence{from, m.Records, m.Head, s.blocked.open || s.life.Gap < m.Records && m.Records <= s.chain.Next}
	if s.fresh() {
		x.Fork = false
	}
	old := s.blocked.evidence
	if old != nil {
		x.Fork = x.Fork || old.Fork
		if old.Records > x.Records {
			x.Peer, x.Records, x.Head = old.Peer, old.Records, old.Head
		}
		if *x == *old {
			return
		}
	}
	s.blocked.evidence = x
	s.silent.Store(true)
	b := s.store.Batch()
	b.Set(store.Meta, []byte(evidenceKey), x.bytes())
	err = b.Commit()
	if err == nil && old != nil {
		return // one alarm is enough
	}
	alarm := errors.Join(errors.New(s.reason()), err)
	s.log.Error("alarm: nothing is released", "reason", alarm)
	if s.c.Alarm != nil {
		go s.c.Alarm(fmt.Errorf("%w: %w", ErrOldCopy, alarm))
	}
}

// OnRival records that a neighbour is connected with another process under this peer's key: a
// copy of the folder is running. A site that has not been open stays blocked; one that has been
// open releases nothing more, since the copy may have been accepted in the meantime.
func (s *Site) OnRival(from protocol.Peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.c.ID(from)
	if s.closing || s.blocked.shut || s.blocked.rivals[id] {
		return
	}
	s.blocked.rivals[id] = true
	if s.blocked.shut = s.blocked.open; !s.blocked.shut {
		s.log.Warn("nothing is released yet", "reason", s.reason())
		return
	}
	s.silent.Store(true)
	alarm := errors.New(s.reason())
	s.log.Error("alarm: nothing is released", "reason", alarm)
	if s.c.Alarm != nil {
		go s.c.Alarm(alarm)
	}
}
