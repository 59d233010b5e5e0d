package gossip

import (
	"sync/atomic"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// ledgers is what this peer knows of ledgers: its own checkpoint, and in memories of its members the others' checkpoints.
type ledgers struct {
	*base
	checkpoint atomic.Pointer[protocol.SignedCheckpoint]
}

func newLedgers(b *base) (k *ledgers, err error) {
	var own protocol.SignedCheckpoint
	for i, m := range b.members {
		m.fork = b.cfg.Forks[m.index]
		if b.cfg.Checkpoints && b.cfg.Known != nil {
			m.highest = b.cfg.Known[i]
		}
		if stated := b.cfg.Peers[i].stated(); b.cfg.Checkpoints && stated.Records > m.highest.Records {
			m.pass()
			m.highest = protocol.SignedCheckpoint{Checkpoint: stated}
		}
	}
	if b.cfg.Checkpoints {
		own, err = b.cfg.signed(b.cfg.Checkpoint)
	}
	k = &ledgers{base: b}
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

// An honest peer signs only checkpoints of its one ledger. So signed checkpoints that no single ledger contains show that
// its folder had two lives, or that its key is in other hands. Two of one length with different heads show it to every peer; of
// different lengths the owner is the judge, which compares what others remember with its ledger.

// contains reports whether this peer's ledger contains what another peer remembers of it.
func (k *ledgers) contains(from protocol.Peer, c protocol.Checkpoint) bool {
	return k.checkpoint.Load().Follows(c) && (k.cfg.Holds == nil || k.cfg.Holds(from, c))
}

// compareOwn keeps a checkpoint that this peer has signed, with this key or one before, and that its ledger does not contain
// although it is as long. Of a longer one the ledger may be an older state.
func (k *ledgers) compareOwn(from protocol.Peer, s protocol.SignedCheckpoint) {
	self := k.cfg.Self
	stated, former := k.cfg.formerly(self, s)
	if s.Records <= k.checkpoint.Load().Records && !k.contains(from, s.Checkpoint) && (k.cfg.proves(self, s) || former && s.Records <= stated) {
		k.convict(k.members[self], s)
	}
}

// compare keeps a checkpoint of another peer with the highest one if they have one length and different heads.
func (k *ledgers) compare(m *member, c protocol.SignedCheckpoint) {
	highest := m.remembered()
	if c.Records == highest.Records && c.Checkpoint != highest.Checkpoint && k.cfg.proves(m.index, c) && k.cfg.proves(m.index, highest) {
		k.convict(m, highest, c)
	}
}

// convict keeps checkpoints of a peer that no single ledger contains, the first time. What the present key has signed takes the place
// of what one before has signed, which can be in other hands since.
func (k *ledgers) convict(m *member, all ...protocol.SignedCheckpoint) {
	now := k.cfg.Signer(m.index, all[0]) != ""
	m.mu.Lock()
	known := m.fork != nil && (!now || k.cfg.Signer(m.index, m.fork[0]) != "")
	if !known {
		m.fork = all
	}
	m.mu.Unlock()
	if known {
		return
	}
	k.log.Warn("two histories of a peer's ledger are signed: its folder was copied, or its key is in other hands", "peer", m.name, "id", m.id, "signed", all, "by its present key", now)
	if k.cfg.OnFork != nil {
		k.cfg.OnFork(m.index, all)
	}
}
