package site

import (
	"fmt"

	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// OnCheckpoint records the checkpoint of another peer's ledger, which is stored with the next
// step.
func (s *Site) OnCheckpoint(of protocol.Peer, m protocol.Checkpoint) {
	s.seenMu.Lock()
	defer s.seenMu.Unlock()
	s.seen[of] = m
}

// storeCheckpoints stores the checkpoints seen since the last step.
func (s *Site) storeCheckpoints(b *store.Batch) {
	s.seenMu.Lock()
	defer s.seenMu.Unlock()
	for p, m := range s.seen {
		b.Set(store.Peer, []byte(s.c.ID(p)), append(store.Number(m.Records), m.Head[:]...))
	}
	clear(s.seen)
}

// Checkpoints returns every peer's checkpoint as it was last seen.
func (s *Site) Checkpoints() ([]protocol.Checkpoint, error) {
	all := make([]protocol.Checkpoint, s.c.Peers)
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
		}
	}
	return all, nil
}
