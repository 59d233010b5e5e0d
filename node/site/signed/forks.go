package signed

import (
	"fmt"

	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// forkKey is, with a peer's id, the key of its checkpoints in the table of single values.
const forkKey = "fork "

// Fork keeps checkpoints of a peer, this one or another, that no single ledger contains.
func (s *Statements) Fork(id string, all []protocol.SignedCheckpoint) error {
	s.forks[id] = all
	var v []byte
	for _, c := range all {
		v = append(append(append(v, store.Number(c.Records)...), c.Head[:]...), c.Signature[:]...)
	}
	b := s.store.Batch()
	b.Set(store.Meta, []byte(forkKey+id), v)
	return b.Commit()
}

// readForks reads what Fork has kept.
func (s *Statements) readForks() error {
	for e, err := range s.store.Scan(store.Meta, []byte(forkKey), []byte(forkKey+"\xff")) {
		if err != nil {
			return err
		}
		const size = 8 + 32 + 64
		v, id := e.Value, string(e.Key[len(forkKey):])
		if len(v)%size != 0 {
			return fmt.Errorf("%w: checkpoints of a peer", form.ErrDamaged)
		}
		for ; len(v) > 0; v = v[size:] {
			c := protocol.SignedCheckpoint{Checkpoint: protocol.Checkpoint{Records: store.ReadNumber(v)}}
			copy(c.Signature[:], v[8+copy(c.Head[:], v[8:]):])
			s.forks[id] = append(s.forks[id], c)
		}
	}
	return nil
}

// Forks returns the checkpoints of a peer that no single ledger contains.
func (s *Statements) Forks(id string) []protocol.SignedCheckpoint { return s.forks[id] }
