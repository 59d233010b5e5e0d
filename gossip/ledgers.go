package gossip

import (
	"sync/atomic"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// ledgers is what this peer knows of ledgers: its own checkpoint, and, as memories of its members, those of the others.
type ledgers struct {
	*base
	checkpoint atomic.Pointer[protocol.SignedCheckpoint]
}

func newLedgers(b *base) (*ledgers, error) {
	k := &ledgers{base: b}
	k.checkpoint.Store(&protocol.SignedCheckpoint{})
	for i, m := range b.members {
		m.fork = b.cfg.Forks[m.index]
		if !b.cfg.Checkpoints {
			continue
		}
		if b.cfg.Known != nil {
			m.highest = b.cfg.Known[i]
		}
		if stated := b.cfg.Peers[i].stated(); stated.Records > m.highest.Records {
			m.pass()
			m.highest = protocol.SignedCheckpoint{Checkpoint: stated}
		}
	}
	if !b.cfg.Checkpoints {
		return k, nil
	}
	own, err := b.cfg.signed(b.cfg.Checkpoint)
	k.checkpoint.Store(&own)
	return k, err
}

// Advance sets this peer's checkpoint. From now on, every link sends c or a later checkpoint
// before the next message. Advance does nothing if c has no more records than the last
// checkpoint.
func (k *ledgers) Advance(c protocol.Checkpoint) {
	if !k.cfg.Checkpoints || c.Records <= k.checkpoint.Load().Records {
		return
	}
	s, err := k.cfg.signed(c)
	if err != nil {
		k.log.Error("a checkpoint is not signed, so no neighbour hears of it", "err", err)
		return
	}
	for last := k.checkpoint.Load(); c.Records > last.Records; last = k.checkpoint.Load() {
		if k.checkpoint.CompareAndSwap(last, &s) {
			return
		}
	}
}

// showable reports whether a checkpoint has records, and is known with its owner's signature or was stated with the key.
func (k *ledgers) showable(of protocol.Peer, c *protocol.SignedCheckpoint) bool {
	return c.Records > 0 && (c.Signature != [wire.SignatureSize]byte{} || c.Checkpoint == k.cfg.Peers[of].stated())
}
