package site

import (
	"peerd.dev/node/site/signed"
	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// hear does something with the site locked, unless it is closed.
func (s *Site) hear(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		do()
	}
}

// failed logs an error of the store.
func (s *Site) failed(err error) {
	if err != nil {
		s.log.Error("store", "err", err)
	}
}

// OnRemembered records what a neighbour remembers of this peer's ledger, and whether this peer has signed it. It is connected
// with no other process under this key.
func (s *Site) OnRemembered(from protocol.Peer, m protocol.Checkpoint, signed bool) {
	s.hear(func() {
		s.standing.Agrees(s.c.ID(from))
		s.remembered(from, m, signed)
	})
}

// OnMemory records a checkpoint with this peer's signature that a peer has shown, linked or not. So a peer that was
// unlinked reports what it remembers, and a neighbour before its link is up.
func (s *Site) OnMemory(from protocol.Peer, m protocol.Checkpoint) {
	s.hear(func() { s.remembered(from, m, true) })
}

func (s *Site) remembered(from protocol.Peer, m protocol.Checkpoint, signed bool) {
	if s.standing.Remembers(from, s.c.ID(from), m, signed) {
		s.failed(s.confirm())
	}
}

// OnRival records that a neighbour is connected with another process under this peer's key; see [standing.Standing.Rival].
func (s *Site) OnRival(from protocol.Peer) { s.hear(func() { s.standing.Rival(s.c.ID(from)) }) }

// OnFork keeps checkpoints of a peer, this one or another, that no single ledger contains.
func (s *Site) OnFork(of protocol.Peer, all []protocol.SignedCheckpoint) {
	s.hear(func() { s.failed(s.signed.Fork(s.c.ID(of), all)) })
}

// members returns what the standing needs to know of the network.
func (s *Site) members() standing.Members {
	return standing.Members{Neighbours: s.c.neighbours(), Gone: s.c.Gone, Name: s.c.Name, ID: s.c.ID}
}

// OnCheckpoint records the checkpoint of another peer's ledger, which is stored with the next
// step. It is signed with the key of an id, or that is empty.
func (s *Site) OnCheckpoint(of protocol.Peer, key string, m protocol.SignedCheckpoint) {
	s.signed.Checkpoint(of, key, m)
}

// Forks returns, by peer, the checkpoints that no single ledger contains.
func (s *Site) Forks() map[protocol.Peer][]protocol.SignedCheckpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	forks := make(map[protocol.Peer][]protocol.SignedCheckpoint)
	for p := range protocol.Peer(s.c.Peers) {
		if all := s.signed.Forks(s.c.ID(p)); all != nil {
			forks[p] = all
		}
	}
	return forks
}

// Checkpoints returns every peer's checkpoint as it was last seen.
func (s *Site) Checkpoints() ([]protocol.SignedCheckpoint, error) {
	all := make([]protocol.SignedCheckpoint, s.c.Peers)
	known, err := signed.Checkpoints(s.store)
	for p := range all { // another peer may be in a place
		all[p] = known[s.c.ID(protocol.Peer(p))].SignedCheckpoint
	}
	return all, err
}

// Holds reports whether this peer's ledger contains a checkpoint that another peer remembers. What a life before a
// recovery signed is known to be lost.
func (s *Site) Holds(from protocol.Peer, c protocol.Checkpoint) (holds bool) {
	holds = true
	s.hear(func() {
		if c.Records > s.life.Gap {
			ours, err := s.standing.Has(s.c.ID(from), c)
			s.failed(err)
			holds = ours || err != nil
		}
	})
	return holds
}

// OldCopy reports whether a peer remembers what is missing here.
func (s *Site) OldCopy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.standing.OldCopy()
}

// Current reports whether neighbours have confirmed, since the start, that the folder is no old copy.
func (s *Site) Current() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.standing.Current()
}

// isBlocked reports whether nothing may be released.
func (s *Site) isBlocked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.standing.Opens()
}

// Checkpoint returns the end of the durable ledger, and whether the site is open, so that it may
// ask neighbours whether they know it. Neighbours see no other end of the
// ledger: what is not durable is drawn again after a crash, and a hash shows the first draw.
func (s *Site) Checkpoint() (c protocol.Checkpoint, open bool) {
	return s.durable.Load().ledger, !s.isBlocked()
}

func (s *Site) saveLife(b *store.Batch) { b.Set(store.Meta, []byte(lifeKey), s.life.bytes()) }
