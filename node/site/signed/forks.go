package site

import (
	"fmt"
	"math"
	"math/bits"

	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// recoveries is how many times a site can recover before its ledger may have more than [Site.MostRecords].
const recoveries = 1 << 10

// mostRecords returns more records than a ledger of this network can have: as many as a life has that releases all that is
// paid for, and once more as many for each recovery, which jumps over no more numbers.
func (c *Config) mostRecords() uint64 {
	streams := uint64(c.Streams)
	over, life := bits.Mul64(streams, c.Cadence.Leaves(c.Horizon))
	life += streams + 1
	if over > 0 || life > math.MaxUint64/recoveries {
		return math.MaxUint64
	}
	return recoveries * life
}

// MostRecords returns more records than any ledger of this network can have.
func (s *Site) MostRecords() uint64 { return s.most }

// OnFork keeps checkpoints of a peer, this one or another, that no single ledger contains.
func (s *Site) OnFork(of protocol.Peer, all []protocol.SignedCheckpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return
	}
	id := s.c.ID(of)
	s.forks[id] = all
	var v []byte
	for _, c := range all {
		v = append(append(append(v, store.Number(c.Records)...), c.Head[:]...), c.Signature[:]...)
	}
	b := s.store.Batch()
	b.Set(store.Meta, []byte(forkKey+id), v)
	if err := b.Commit(); err != nil {
		s.log.Error("store", "err", err)
	}
}

// readForks reads what OnFork has kept.
func (s *Site) readForks() error {
	s.forks = make(map[string][]protocol.SignedCheckpoint)
	for e, err := range s.store.Scan(store.Meta, []byte(forkKey), []byte(forkKey+"\xff")) {
		if err != nil {
			return err
		}
		const size = 8 + 32 + 64
		v, id := e.Value, string(e.Key[len(forkKey):])
		if len(v)%size != 0 {
			return fmt.Errorf("%w: checkpoints of a peer", ErrDamaged)
		}
		for ; len(v) > 0; v = v[size:] {
			c := protocol.SignedCheckpoint{Checkpoint: protocol.Checkpoint{Records: store.ReadNumber(v)}}
			copy(c.Signature[:], v[8+copy(c.Head[:], v[8:]):])
			s.forks[id] = append(s.forks[id], c)
		}
	}
	return nil
}

// Forks returns, by peer, the checkpoints that no single ledger contains.
func (s *Site) Forks() map[protocol.Peer][]protocol.SignedCheckpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	forks := make(map[protocol.Peer][]protocol.SignedCheckpoint)
	for p := protocol.Peer(0); len(forks) < len(s.forks) && int(p) < s.c.Peers; p++ {
		if all := s.forks[s.c.ID(p)]; all != nil {
			forks[p] = all
		}
	}
	return forks
}

// Holds reports whether this peer's ledger contains a checkpoint that another peer remembers. What a life before a
// recovery signed is known to be lost.
func (s *Site) Holds(from protocol.Peer, c protocol.Checkpoint) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || c.Records <= s.life.Gap {
		return true
	}
	ours, err := s.has(s.c.ID(from), c)
	if err != nil {
		s.log.Error("store", "err", err)
	}
	return ours || err != nil
}
