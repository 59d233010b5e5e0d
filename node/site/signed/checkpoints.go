package site

import (
	"fmt"

	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// A Known is a checkpoint of another peer's ledger.
type Known struct {
	protocol.SignedCheckpoint
	Key string // id of the key of the signature; empty if it is not known, and for what was stated when a key was replaced
}

// OnCheckpoint records the checkpoint of another peer's ledger, which is stored with the next
// step. It is signed with the key of an id, or that is empty.
func (s *Site) OnCheckpoint(of protocol.Peer, key string, m protocol.SignedCheckpoint) {
	s.seenMu.Lock()
	defer s.seenMu.Unlock()
	s.seen[of] = Known{m, key}
}

// storeCheckpoints stores the checkpoints seen since the last step.
func (s *Site) storeCheckpoints(b *store.Batch) {
	s.seenMu.Lock()
	defer s.seenMu.Unlock()
	for p, m := range s.seen {
		id := []byte(s.c.ID(p))
		b.Set(store.Peer, id, append(store.Number(m.Records), m.Head[:]...))
		b.Set(store.Signature, id, append(m.Signature[:], m.Key...))
	}
	clear(s.seen)
}

// Checkpoints returns every peer's checkpoint as it was last seen.
func (s *Site) Checkpoints() ([]protocol.SignedCheckpoint, error) {
	all := make([]protocol.SignedCheckpoint, s.c.Peers)
	known, err := checkpointsIn(s.store)
	for p := range all { // another peer may be in a place
		all[p] = known[s.c.ID(protocol.Peer(p))].SignedCheckpoint
	}
	return all, err
}

// checkpointsIn returns the checkpoints of other peers in a store, by the id that a peer had first.
func checkpointsIn(st *store.Store) (map[string]Known, error) {
	all := make(map[string]Known)
	for e, err := range st.Scan(store.Peer, nil, nil) {
		if err != nil {
			return nil, err
		}
		if len(e.Value) != 8+len(ledger.Hash{}) {
			return nil, fmt.Errorf("%w: checkpoint of a peer", ErrDamaged)
		}
		var c Known
		c.Records = store.ReadNumber(e.Value)
		copy(c.Head[:], e.Value[8:])
		sig, err := st.Get(store.Signature, e.Key)
		if err != nil {
			return nil, err
		}
		c.Key = string(sig[copy(c.Signature[:], sig):])
		all[string(e.Key)] = c
	}
	return all, nil
}
