package site

import (
	"fmt"
	"math"
	"math/bits"

	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// maxFork is how many checkpoints of a peer are kept that no single ledger contains: two show that its key was used for
// two histories.
const maxFork = 2

// recoveries is how many times a site can recover before its ledger may have more than [Site.MostRecords].
const recoveries = 1 << 10

// mostRecords returns more records than a ledger of this network can have: those of a life that releases all that is paid
// for, once more for each recovery, which jumps over as many numbers at most.
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
	var v []byte
	for _, c := range all[:min(len(all), maxFork)] {
		v = append(append(append(v, store.Number(c.Records)...), c.Head[:]...), c.Signature[:]...)
	}
	b := s.store.Batch()
	b.Set(store.Meta, []byte(forkKey+s.c.ID(of)), v)
	if err := b.Commit(); err != nil {
		s.log.Error("store", "err", err)
	}
}

// Forks returns what OnFork has kept, by peer.
func (s *Site) Forks() (map[protocol.Peer][]protocol.SignedCheckpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	forks := make(map[protocol.Peer][]protocol.SignedCheckpoint)
	for p := range protocol.Peer(s.c.Peers) {
		v, err := s.store.Get(store.Meta, []byte(forkKey+s.c.ID(p)))
		if err != nil {
			return nil, err
		}
		const size = 8 + 32 + 64
		if len(v)%size != 0 {
			return nil, fmt.Errorf("%w: checkpoints of a peer", ErrDamaged)
		}
		for ; len(v) > 0; v = v[size:] {
			c := protocol.SignedCheckpoint{Checkpoint: protocol.Checkpoint{Records: store.ReadNumber(v[:8])}}
			copy(c.Signature[:], v[8+copy(c.Head[:], v[8:40]):size])
			forks[p] = append(forks[p], c)
		}
	}
	return forks, nil
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
