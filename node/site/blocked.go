package site

import (
	"errors"
	"fmt"
	"math"
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// ErrOldCopy is wrapped by what an Alarm says: a peer remembers a ledger of this peer
// that this one is not.
var ErrOldCopy = errors.New("this folder was restored from a backup, or its key runs twice")

// blocked says why nothing is released. A site begins blocked, until its neighbours have
// reported what they remember: a folder cannot tell by itself that it is an old copy. While
// no neighbour can be reached there is also no peer to send to.
type blocked struct {
	agree    map[protocol.Peer]bool // neighbours that remember nothing that is not here
	since    time.Time              // when the first of them reported
	open     bool                   // something may be released
	evidence *rollbackEvidence
	full     bool
}

// grace is for how long a site waits for the other neighbours after the report of one:
// the one that remembers more may be slower. A neighbour that dials tries again
// after at most 30 seconds.
const grace = 45 * time.Second

// rollbackEvidence is what a peer remembers that is not here.
type rollbackEvidence struct {
	Peer    protocol.Peer
	Records uint64
	Head    ledger.Hash
	Fork    bool // both histories have gone on, so what was released is not known
}

func (x *rollbackEvidence) bytes() []byte {
	w := state.NewWriter(evidenceVersion)
	w.Uint(uint64(x.Peer))
	w.Uint(x.Records)
	w.Bytes(x.Head[:])
	w.Bool(x.Fork)
	return w.State()
}

func parseEvidence(b []byte) (x rollbackEvidence, err error) {
	err = decode("rollback evidence", b, evidenceVersion, func(r *state.Reader) {
		p := r.Uint()
		if p > math.MaxUint32 {
			r.Fail("peer %d", p)
		}
		x.Peer, x.Records = protocol.Peer(p), r.Uint()
		readArray(r, x.Head[:])
		x.Fork = r.Bool()
	})
	return x, err
}

// reason returns why nothing is released, or "".
func (h *blocked) reason() string {
	switch x := h.evidence; {
	case x != nil && x.Fork:
		return fmt.Sprintf("%v: peer %d remembers another history of its ledger. Nothing is released. Stop the other copy. This folder cannot be used any more: use the other one, or begin a new one with `peerd init`", ErrOldCopy, x.Peer)
	case x != nil:
		return fmt.Sprintf("%v: peer %d remembers %d ledger records, and there are fewer here. Nothing is released. If another copy runs, stop it and use its folder; if it is lost, stop this peer and run `peerd recover`", ErrOldCopy, x.Peer, x.Records)
	case !h.open:
		return "waiting for neighbours to report the last checkpoint they saw of this peer; nothing is released until they do"
	}
	return ""
}

// readBlocked reads what an earlier start found out.
func (s *Site) readBlocked() error {
	s.blocked.agree = make(map[protocol.Peer]bool)
	s.blocked.open = len(s.c.Neighbours) == 0
	v, err := s.store.Get(store.Meta, []byte(evidenceKey))
	if err != nil || v == nil {
		return err
	}
	x, err := parseEvidence(v)
	s.blocked.evidence = &x
	s.silent.Store(true)
	return err
}

// OnRemembered takes in what a neighbour remembers of this peer's ledger. Of several that
// remember what is not here, the one that remembers most counts.
func (s *Site) OnRemembered(from protocol.Peer, m protocol.Checkpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	ours, err := s.has(m)
	if err != nil {
		s.log.Error("store", "err", err)
		return
	}
	if ours {
		if len(s.blocked.agree) == 0 {
			s.blocked.since = s.c.Now()
		}
		s.blocked.agree[from] = true
		return
	}
	// Before anything was released in this run, this folder is an older state of the ledger
	// that the peer remembers. Later, both have gone on. A gap is as long as a lost life
	// may have been.
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
	alarm := errors.Join(errors.New(s.blocked.reason()), err)
	s.log.Error("alarm: nothing is released", "reason", alarm)
	if s.c.Alarm != nil {
		go s.c.Alarm(fmt.Errorf("%w: %w", ErrOldCopy, alarm))
	}
}

// fresh reports whether nothing was released since this life began: by a new folder
// under an old key, or after [Site.Recover].
func (s *Site) fresh() bool {
	if s.life.Taken > 0 {
		return s.chain.Next == s.life.Gap+1
	}
	return s.state.Released == 0
}

// has reports whether the ledger was once as long as m says, with that head.
func (s *Site) has(m protocol.Checkpoint) (bool, error) {
	switch {
	case m.Records <= s.life.Taken:
		return true, nil
	case m.Records > s.chain.Next:
		return false, nil
	case m.Records == s.chain.Next:
		return m.Head == s.chain.Head, nil
	}
	line, err := s.store.Get(store.Ledger, store.Number(m.Records-1))
	return line != nil && ledger.HashOf(line) == m.Head, err
}

// OldCopy reports whether a peer has been found to remember what is not here.
func (s *Site) OldCopy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blocked.evidence != nil
}

// isBlocked reports whether nothing may be released.
func (s *Site) isBlocked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.blocked
	if h.evidence == nil && !h.open && len(h.agree) > 0 && (len(h.agree) == len(s.c.Neighbours) || s.c.Now().Sub(h.since) > grace) {
		h.open = true
		s.log.Info("no neighbour remembers more than there is here: releases go on", "heard", len(h.agree))
	}
	return h.evidence != nil || !h.open
}
