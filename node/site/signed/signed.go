// Package signed keeps what peers have signed: the newest checkpoint of each other peer's ledger, and checkpoints that no
// single ledger contains.
package signed

import (
	"fmt"
	"sync"

	"peerd.dev/node/ledger"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// Statements are what peers have signed. Only Checkpoint may be called without the site's lock.
type Statements struct {
	store *store.Store
	forks map[string][]protocol.SignedCheckpoint // by the id of the peer

	mu   sync.Mutex
	seen map[protocol.Peer]Known // checkpoints that are not stored yet
}

// A Known is a checkpoint of another peer's ledger.
type Known struct {
	protocol.SignedCheckpoint
	Key string // id of the key of the signature; empty if it is not known, and for what was stated when a key was replaced
}

// Read reads what earlier starts stored.
func Read(st *store.Store) (*Statements, error) {
	s := &Statements{store: st, forks: make(map[string][]protocol.SignedCheckpoint), seen: make(map[protocol.Peer]Known)}
	return s, s.readForks()
}

// Checkpoint records the checkpoint of another peer's ledger, which is stored with the next
// step. It is signed with the key of an id, or that is empty.
func (s *Statements) Checkpoint(of protocol.Peer, key string, m protocol.SignedCheckpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[of] = Known{m, key}
}

// Save stores the checkpoints that arrived since the last step.
func (s *Statements) Save(b *store.Batch, id func(protocol.Peer) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, m := range s.seen {
		id := []byte(id(p))
		b.Set(store.Peer, id, append(store.Number(m.Records), m.Head[:]...))
		b.Set(store.Signature, id, append(m.Signature[:], m.Key...))
	}
	clear(s.seen)
}

// Checkpoints returns the checkpoints of other peers in a store, by the id that a peer had first.
func Checkpoints(st *store.Store) (map[string]Known, error) {
	all := make(map[string]Known)
	for e, err := range st.Scan(store.Peer, nil, nil) {
		if err != nil {
			return nil, err
		}
		if len(e.Value) != 8+len(ledger.Hash{}) {
			return nil, fmt.Errorf("%w: checkpoint of a peer", form.ErrDamaged)
		}
		is, sig := e.Value, []byte(nil)
		for was := ""; err == nil && string(is) != was; { // a step may store newer ones between two reads
			was = string(is)
			if sig, err = st.Get(store.Signature, e.Key); err == nil {
				is, err = st.Get(store.Peer, e.Key)
			}
		}
		if err != nil {
			return nil, err
		}
		c := Known{SignedCheckpoint: protocol.SignedCheckpoint{Checkpoint: protocol.Checkpoint{Records: store.ReadNumber(is), Head: [32]byte(is[8:])}}}
		c.Key = string(sig[copy(c.Signature[:], sig):])
		all[string(e.Key)] = c
	}
	return all, nil
}

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
