package site

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A standing is whether a site may release, and if not, why not. [Site.standing] computes it from what is recorded in
// [blocked], which grows by four events: a neighbour reports what it remembers, and agrees or remembers more, and a neighbour
// is connected with another process under this key (a rival), or is no longer.
//
//	               all agree, or more than half and the grace is over
//	start ──► waiting ──────────────────────────────────────────────► open
//	            ▲ │                                                     │
//	  no rivals │ │ rival                                               │ rival
//	  any more  │ ▼                                                     ▼
//	           doubled                                                 shut ──► the next start
//	              │                                                     │
//	              └───────────┬──── from each: a neighbour ─────────────┘
//	                          │     remembers more
//	             ┌────────────┴──────────────────┐
//	             ▼ nothing went on here since    ▼ both histories went on
//	          oldCopy ─────────────────────────► forked (for good)
//	             │          the same, later
//	             └──► peerd recover, which begins a life that waits for all
//
// oldCopy and forked are stored, and a later start begins with them.
type standing byte

const (
	open    standing = iota // it releases
	waiting                 // for the reports of neighbours
	doubled                 // waiting, and a neighbour is connected with another process under this key
	shut                    // there was such a process while this one was open
	oldCopy                 // a peer remembers records that are missing here
	forked                  // and this folder has records that the peer does not remember
)

// quiet reports whether nothing more is drawn until the process ends.
func (x standing) quiet() bool { return x >= shut }

// standing returns the site's standing. A site that waits opens in [Site.opens].
func (s *Site) standing() standing {
	switch b := &s.blocked; {
	case b.evidence != nil && b.evidence.Fork:
		return forked
	case b.evidence != nil:
		return oldCopy
	case b.shut:
		return shut
	case len(b.rivals) > 0:
		return doubled
	case !b.open:
		return waiting
	}
	return open
}

// reason returns why nothing is released, or "".
func (s *Site) reason() string {
	switch x := s.blocked.evidence; s.standing() {
	case forked:
		return fmt.Sprintf("%v: peer %d remembers another history of its ledger. Nothing is released. Stop the other copy. This folder cannot be used any more: use the other one, or begin a new one with `peerd init`", ErrOldCopy, x.Peer)
	case oldCopy:
		return fmt.Sprintf("%v: peer %d remembers %d ledger records, and %d of those here are confirmed. Nothing is released. If another copy runs, stop it and use its folder; if it is lost, stop this peer and run `peerd recover`", ErrOldCopy, x.Peer, x.Records, s.had())
	case shut:
		return "this peer's key runs twice: a neighbour is connected with another process that has it. This one releases nothing any more. Stop one of the two, and start the other again"
	case doubled:
		return fmt.Sprintf("this peer's key runs twice: %s is connected with another process that has it. Nothing is released as long as it is", s.c.Name(slices.Min(slices.Collect(maps.Keys(s.blocked.rivals)))))
	case waiting:
		return s.waitsFor()
	case open:
	}
	return ""
}

// waitsFor returns which neighbours have to report, in words.
func (s *Site) waitsFor() string {
	var missing []string
	for _, id := range s.awaited() {
		if !s.blocked.agree[id] {
			missing = append(missing, s.c.Name(id))
		}
	}
	if len(missing) == 0 {
		return "all neighbours have reported the last checkpoint they saw of this peer: releases begin with the next round"
	}
	need := fmt.Sprintf("all do, or more than half do and %v have passed since the first did", grace)
	if s.closed() {
		need = "all do"
	}
	return fmt.Sprintf("waiting for neighbours to report the last checkpoint they saw of this peer: %s. Nothing is released until %s. If one of them is lost, see `peerd recover --help` on doing without it", strings.Join(missing, ", "), need)
}

// OldCopy reports whether a peer remembers what is missing here.
func (s *Site) OldCopy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.standing() >= oldCopy
}

// Current reports whether neighbours have confirmed, since the start, that the folder is no old copy.
func (s *Site) Current() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opens() && s.blocked.current
}

// isBlocked reports whether nothing may be released.
func (s *Site) isBlocked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.opens()
}

// opens opens the site if enough neighbours have reported, and reports whether it is open.
func (s *Site) opens() bool {
	if b := &s.blocked; s.standing() == waiting && s.heard() {
		closed := s.closed()
		if err := s.keepWitnesses(); err != nil {
			s.log.Error("store", "err", err)
			return false
		}
		b.open, b.current = true, !closed
		s.log.Info("no neighbour remembers more than there is here: releases go on", "heard", len(b.agree))
	}
	return s.standing() == open
}
