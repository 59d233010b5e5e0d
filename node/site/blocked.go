package site

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// ErrOldCopy is wrapped by the errors of an Alarm: a peer remembers records of this peer's ledger
// that this ledger does not have.
var ErrOldCopy = errors.New("this folder was restored from a backup, or its key runs twice")

// blocked says why nothing is released. A site starts blocked, until its neighbours have reported
// what they remember, since a folder cannot itself show that it is an old copy. While no
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

// grace is how long a site waits for the other neighbours after the report of one, since another
// may remember more. A neighbour that dials tries again after at most 30 seconds.
const grace = 45 * time.Second

// rollbackEvidence is what a peer remembers that is missing here.
type rollbackEvidence struct {
	Peer    protocol.Peer
	Records uint64
	Head    ledger.Hash
	Fork    bool // both histories have continued, so what was released is not known
}

func (x *rollbackEvidence) fields(v *state.Visitor) {
	state.Number(v, &x.Peer)
	v.Uint(&x.Records)
	array(v, x.Head[:])
	v.Bool(&x.Fork)
}

func (x *rollbackEvidence) bytes() []byte { return state.Save(evidenceVersion, x.fields) }

func parseEvidence(b []byte) (x rollbackEvidence, err error) {
	err = decode("rollback evidence", b, evidenceVersion, evidenceVersion, x.fields)
	return x, err
}

// reason returns why nothing is released, or "".
func (s *Site) reason() string {
	switch x := s.blocked.evidence; {
	case x != nil && x.Fork:
		return fmt.Sprintf("%v: peer %d remembers another history of its ledger. Nothing is released. Stop the other copy. This folder cannot be used any more: use the other one, or begin a new one with `peerd init`", ErrOldCopy, x.Peer)
	case x != nil:
		return fmt.Sprintf("%v: peer %d remembers %d ledger records, and %d of those here are confirmed. Nothing is released. If another copy runs, stop it and use its folder; if it is lost, stop this peer and run `peerd recover`", ErrOldCopy, x.Peer, x.Records, s.had())
	case s.blocked.shut:
		return "this peer's key runs twice: a neighbour is connected with another process that has it. This one releases nothing any more. Stop one of the two, and start the other again"
	case len(s.blocked.rivals) > 0:
		return fmt.Sprintf("this peer's key runs twice: %s is connected with another process that has it. Nothing is released as long as it is", s.c.Name(slices.Min(slices.Collect(maps.Keys(s.blocked.rivals)))))
	case !s.blocked.open:
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
	return ""
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

// neighbours returns the ids of the neighbours in the network file.
func (s *Site) neighbours() (ids []string) {
	for _, p := range s.c.Neighbours {
		ids = append(ids, s.c.ID(p))
	}
	return ids
}

// awaited returns the ids of all neighbours that are in the network file or may remember what is
// missing here. A life that has not been open since it recovered does not wait for the neighbours
// that the operator excluded.
func (s *Site) awaited() (ids []string) {
	for _, id := range slices.Concat(s.blocked.witnesses, s.neighbours()) {
		if !slices.Contains(ids, id) && (!s.closed() || !slices.Contains(s.life.Without, id)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// heard reports whether enough neighbours have reported. An ordinary start waits for all of them,
// or for the grace and more than half of those that linked before. If half of them knew what the
// lost life of a restored folder released, one of these knows it. A life that recovered waits for
// all.
func (s *Site) heard() bool {
	h := &s.blocked
	agreed := func(ids []string) (n int) {
		for _, id := range ids {
			if h.agree[id] {
				n++
			}
		}
		return n
	}
	all := s.awaited()
	if agreed(all) == len(all) {
		return true
	}
	may := h.before
	if len(may) == 0 {
		may = all
	}
	return !s.closed() && len(h.agree) > 0 && 2*agreed(may) > len(may) && s.c.Now().Sub(h.since) > grace
}

// keepWitnesses stores the neighbours for whose reports the site waits from now on: those that
// have linked with the site while it could release something, except those that have left. A neighbour that linked with a
// blocked site is not a witness yet; otherwise it could open the site at the next start.
func (s *Site) keepWitnesses() error {
	var ids []string
	for _, id := range s.awaited() {
		if (s.blocked.agree[id] || slices.Contains(s.blocked.witnesses, id)) && !slices.Contains(s.c.Gone, id) {
			ids = append(ids, id)
		}
	}
	if slices.Equal(ids, s.blocked.witnesses) && !s.closed() {
		return nil
	}
	s.blocked.witnesses = ids
	s.life.Opened = s.recovered()
	b := s.store.Batch()
	b.Set(store.Meta, []byte(witnessKey), s.witnessBytes())
	b.Set(store.Meta, []byte(lifeKey), s.life.bytes())
	return b.Commit()
}

func (b *blocked) witnessFields(v *state.Visitor) { state.List(v, &b.witnesses, v.String) }

func (s *Site) witnessBytes() []byte { return state.Save(witnessVersion, s.blocked.witnessFields) }

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

// quiet reports whether evidence or a rival was found since the site was opened, so that nothing
// more is drawn.
func (b *blocked) quiet() bool { return b.evidence != nil || b.shut }

// recovered reports whether this life began with [Site.Recover].
func (s *Site) recovered() bool { return s.life.Taken > 0 }

// closed reports whether this life began with [Site.Recover] and has not been open since.
func (s *Site) closed() bool { return s.recovered() && !s.life.Opened }

// fresh reports whether nothing was released since this life began, either in a new folder under
// an old key or after [Site.Recover].
func (s *Site) fresh() bool {
	if s.recovered() {
		return s.chain.Next == s.life.Gap+1
	}
	return s.state.Released == 0
}

// had returns how many of the records here neighbours have confirmed or, after [Site.Recover],
// how many it knew of: later records are about abandoned leaves.
func (s *Site) had() uint64 {
	switch {
	case s.recovered():
		return s.life.Taken
	case len(s.awaited()) == 0:
		return s.chain.Next
	}
	return s.confirmed.kept
}

// has reports whether the ledger once had the length in m, with m's head. For a neighbour that
// the operator excluded from the recovery, only records from the gap on count; once this life is open, others may have
// heard of the records from such a neighbour.
func (s *Site) has(id string, m protocol.Checkpoint) (bool, error) {
	switch {
	case m.Records <= s.life.Taken, m.Records <= s.life.Gap && (slices.Contains(s.life.Without, id) || s.life.Opened && len(s.life.Without) > 0):
		return true, nil
	case m.Records > s.chain.Next:
		return false, nil
	case m.Records == s.chain.Next:
		return m.Head == s.chain.Head, nil
	}
	line, err := s.store.Get(store.Ledger, store.Number(m.Records-1))
	return line != nil && ledger.HashOf(line) == m.Head, err
}

// OldCopy reports whether a peer remembers what is missing here.
func (s *Site) OldCopy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blocked.evidence != nil
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
	h := &s.blocked
	if !h.quiet() && !h.open && len(h.rivals) == 0 && s.heard() {
		closed := s.closed()
		if err := s.keepWitnesses(); err != nil {
			s.log.Error("store", "err", err)
			return false
		}
		h.open, h.current = true, !closed
		s.log.Info("no neighbour remembers more than there is here: releases go on", "heard", len(h.agree))
	}
	return h.open && !h.quiet()
}
