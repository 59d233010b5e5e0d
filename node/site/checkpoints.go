package site

import (
	"fmt"

	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// OnCheckpoint records the checkpoint of another peer's ledger, which is stored with the next
// step.
func (s *Site) OnCheckpoint(of protocol.Peer, m protocol.SignedCheckpoint) {
	s.seenMu.Lock()
	defer s.seenMu.Unlock()
	s.seen[of] = m
}

// storeCheckpoints stores the checkpoints seen since the last step.
func (s *Site) storeCheckpoints(b *store.Batch) {
	s.seenMu.Lock()
	defer s.seenMu.Unlock()
	for p, m := range s.seen {
		id := []byte(s.c.ID(p))
		b.Set(store.Peer, id, append(store.Number(m.Records), m.Head[:]...))
		b.Set(store.Signature, id, m.Signature[:])
	}
	clear(s.seen)
}

// Checkpoints returns every peer's checkpoint as it was last seen.
func (s *Site) Checkpoints() ([]protocol.SignedCheckpoint, error) {
	all := make([]protocol.SignedCheckpoint, s.c.Peers)
	known, err := checkpointsIn(s.store)
	for p := range all { // another peer may be in a place
		all[p] = known[s.c.ID(protocol.Peer(p))]
	}
	return all, err
}

// checkpointsIn returns the checkpoints of other peers in a store, by the id that a peer had first. One that the network
// agreed on when a key was replaced has no signature.
func checkpointsIn(st *store.Store) (map[string]protocol.SignedCheckpoint, error) {
	all := make(map[string]protocol.SignedCheckpoint)
	for e, err := range st.Scan(store.Peer, nil, nil) {
		if err != nil {
			return nil, err
		}
		if len(e.Value) != 8+len(ledger.Hash{}) {
			return nil, fmt.Errorf("%w: checkpoint of a peer", ErrDamaged)
		}
		c := protocol.SignedCheckpoint{Checkpoint: protocol.Checkpoint{Records: store.ReadNumber(e.Value)}}
		copy(c.Head[:], e.Value[8:])
		sig, err := st.Get(store.Signature, e.Key)
		if err != nil {
			return nil, err
		}
		copy(c.Signature[:], sig)
		all[string(e.Key)] = c
	}
	return all, nil
}
