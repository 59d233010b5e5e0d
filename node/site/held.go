package site

import (
	"errors"
	"fmt"
	"time"

	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// ErrBehind is wrapped by what an Alarm says: a peer remembers a ledger of this peer
// that this one is not.
var ErrBehind = errors.New("this folder was restored from a backup, or its key runs twice")

// held says why nothing is released. A site begins held, until one neighbour has
// said what it remembers: a folder cannot tell by itself that it is an old copy, and
// where no neighbour can be reached, nothing could be told anybody anyway.
type held struct {
	heard map[protocol.Peer]bool // neighbours that remember nothing that is not here
	since time.Time              // when the first of them said so
	open  bool                   // something may be released
	claim *claim
	full  bool
}

// grace is for how long a site waits for the other neighbours when it has heard from
// one: the one that remembers more may be slower. A neighbour that dials tries again
// after at most 30 seconds.
const grace = 45 * time.Second

// claim is what a peer remembers that is not here.
type claim struct {
	Peer    protocol.Peer
	Records uint64
	Head    ledger.Hash
	Fork    bool // both histories have gone on, so nobody can tell what was released
}

func (h *held) why() string {
	switch {
	case h.claim != nil && h.claim.Fork:
		return fmt.Sprintf("%v: peer %d remembers another history of its ledger. Nothing is released. Stop the other copy; this folder cannot be used any more, take the other one or begin a new one with `peerd init`", ErrBehind, h.claim.Peer)
	case h.claim != nil:
		return fmt.Sprintf("%v: peer %d remembers %d ledger records, here are fewer. Nothing is released. Stop the other copy if there is one and use its folder; if it is lost, stop this peer and run `peerd recover`", ErrBehind, h.claim.Peer, h.claim.Records)
	case !h.open:
		return "no neighbour, or not every one, has yet said what it remembers of this peer; until then nothing is released"
	}
	return ""
}

// readHeld reads what an earlier start found out.
func (s *Site) readHeld() error {
	s.held.heard = make(map[protocol.Peer]bool)
	s.held.open = len(s.c.Neighbours) == 0
	v, err := s.store.Get(store.Meta, []byte(claimKey))
	if err != nil || v == nil {
		return err
	}
	s.held.claim = new(claim)
	s.silent.Store(true)
	return decode(v, s.held.claim)
}

// Told takes in what a neighbour remembers of this peer's ledger. Of several that
// remember what is not here, the one that remembers most counts.
func (s *Site) Told(from protocol.Peer, m protocol.Checkpoint) {
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
		if len(s.held.heard) == 0 {
			s.held.since = s.c.Now()
		}
		s.held.heard[from] = true
		return
	}
	// Told before anything was released, this is an older state of the ledger that
	// the peer remembers. Later, both have gone on. A gap is as long as a lost life
	// may have been.
	c := &claim{from, m.Records, m.Head, s.held.open || s.life.Gap < m.Records && m.Records <= s.chain.Next}
	if s.fresh() {
		c.Fork = false
	}
	old := s.held.claim
	if old != nil {
		c.Fork = c.Fork || old.Fork
		if old.Records > c.Records {
			c.Peer, c.Records, c.Head = old.Peer, old.Records, old.Head
		}
		if *c == *old {
			return
		}
	}
	s.held.claim = c
	s.silent.Store(true)
	v, err := encode(c)
	if err == nil {
		b := s.store.Batch()
		b.Set(store.Meta, []byte(claimKey), v)
		err = b.Commit()
	}
	if err == nil && old != nil {
		return // one alarm is enough
	}
	alarm := errors.Join(errors.New(s.held.why()), err)
	s.log.Error("alarm: nothing is released", "reason", alarm)
	if s.c.Alarm != nil {
		go s.c.Alarm(fmt.Errorf("%w: %w", ErrBehind, alarm))
	}
}

// fresh reports whether nothing was released since this life began: by a new folder
// under an old key, or after [Site.Adopt].
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

// Saw remembers how far another peer's ledger is. It is stored with the next step.
func (s *Site) Saw(of protocol.Peer, m protocol.Checkpoint) {
	s.seenMu.Lock()
	defer s.seenMu.Unlock()
	s.seen[of] = m
}

// remember stores what was seen.
func (s *Site) remember(b *store.Batch) {
	s.seenMu.Lock()
	defer s.seenMu.Unlock()
	for p, m := range s.seen {
		b.Set(store.Peer, []byte(s.c.ID(p)), append(store.Number(m.Records), m.Head[:]...))
	}
	clear(s.seen)
}

// Seen returns how far every peer's ledger was when it was last seen.
func (s *Site) Seen() ([]protocol.Checkpoint, error) {
	all := make([]protocol.Checkpoint, s.c.Peers)
	places := make(map[string]protocol.Peer, s.c.Peers) // a place may have got another peer
	for p := range all {
		places[s.c.ID(protocol.Peer(p))] = protocol.Peer(p)
	}
	for e, err := range s.store.Scan(store.Peer, nil, nil) {
		if err != nil {
			return nil, err
		}
		if len(e.Value) != 8+len(ledger.Hash{}) {
			return nil, fmt.Errorf("%w: mark of a peer", ErrDamaged)
		}
		if p, ok := places[string(e.Key)]; ok {
			all[p].Records = store.ReadNumber(e.Value)
			copy(all[p].Head[:], e.Value[8:])
		}
	}
	return all, nil
}

// Behind reports whether a peer has been found to remember what is not here.
func (s *Site) Behind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held.claim != nil
}

// holding reports whether nothing may be released.
func (s *Site) holding() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.held
	if h.claim == nil && !h.open && len(h.heard) > 0 && (len(h.heard) == len(s.c.Neighbours) || s.c.Now().Sub(h.since) > grace) {
		h.open = true
		s.log.Info("no neighbour remembers more than there is here: releases go on", "heard", len(h.heard))
	}
	return h.claim != nil || !h.open
}
