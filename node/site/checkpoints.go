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
	places := make(map[string]protocol.Peer, s.c.Peers) // another peer may be in a place
	for p := range all {
		places[s.c.ID(protocol.Peer(p))] = protocol.Peer(p)
	}
	for e, err := range s.store.Scan(store.Peer, nil, nil) {
		if err != nil {
			return nil, err
		}
		if len(e.Value) != 8+len(ledger.Hash{}) {
			return nil, fmt.Errorf("%w: checkpoint of a peer", ErrDamaged)
		}
		if p, ok := places[string(e.Key)]; ok {
			all[p].Records = store.ReadNumber(e.Value)
			copy(all[p].Head[:], e.Value[8:])
			sig, err := s.store.Get(store.Signature, e.Key)
			if err != nil {
				return nil, err
			}
			copy(all[p].Signature[:], sig)
		}
	}
	return all, nil
}
