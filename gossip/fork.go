package gossip

import (
	"fmt"

	"peerd.dev/protocol"
)

// An honest peer signs only checkpoints of its one ledger. So signed checkpoints that no single ledger contains show that
// its folder had two lives, or that its key is in other hands. Two of one length with different heads show it to every peer; of
// different lengths the owner is the judge, which compares what others remember with its ledger.

// contains reports whether this peer's ledger contains what another peer remembers of it.
func (h *Host) contains(from protocol.Peer, c protocol.Checkpoint) bool {
	return h.checkpoint.Load().Follows(c) && (h.cfg.Holds == nil || h.cfg.Holds(from, c))
}

// compareOwn keeps a checkpoint that this peer has signed, with this key or one before, and that its ledger does not contain
// although it is as long. Of a longer one the ledger may be an older state.
func (h *Host) compareOwn(from protocol.Peer, s protocol.SignedCheckpoint) {
	self := h.cfg.Self
	stated, former := h.cfg.formerly(self, s)
	if s.Records <= h.checkpoint.Load().Records && !h.contains(from, s.Checkpoint) && (h.cfg.proves(self, s) || former && s.Records <= stated) {
		h.convict(h.members[self], s)
	}
}

// compare keeps a checkpoint of another peer with the highest one if they have one length and different heads.
func (h *Host) compare(m *member, c protocol.SignedCheckpoint) {
	highest := m.remembered()
	if c.Records == highest.Records && c.Checkpoint != highest.Checkpoint && h.cfg.proves(m.index, c) && h.cfg.proves(m.index, highest) {
		h.convict(m, highest, c)
	}
}

// convict keeps checkpoints of a peer that no single ledger contains, the first time. What the present key has signed takes the place
// of what one before has signed, which can be in other hands since.
func (h *Host) convict(m *member, all ...protocol.SignedCheckpoint) {
	now := h.cfg.Signer(m.index, all[0]) != ""
	m.mu.Lock()
	known := m.fork != nil && (!now || h.cfg.Signer(m.index, m.fork[0]) != "")
	if !known {
		m.fork = all
	}
	m.mu.Unlock()
	if known {
		return
	}
	h.log.Warn("two histories of a peer's ledger are signed: its folder was copied, or its key is in other hands", "peer", m.name, "id", m.id, "signed", all, "by its present key", now)
	if h.cfg.OnFork != nil {
		h.cfg.OnFork(m.index, all)
	}
}

// forked says that two histories of the peer are signed; "" if none are known.
func (y *memory) forked() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.fork == nil {
		return ""
	}
	return fmt.Sprintf("two histories of its ledger are signed (%v): its folder was copied, or its key is in other hands", y.fork)
}

// unshown returns what only the owner can compare with its ledger.
func (y *memory) unshown() []protocol.SignedCheckpoint {
	y.mu.Lock()
	defer y.mu.Unlock()
	all := y.fork[:len(y.fork):len(y.fork)]
	if y.passed.Records > 0 {
		all = append(all, y.passed)
	}
	return all
}

// pass keeps the highest checkpoint until its owner was shown it: a higher one, perhaps of another history, takes its place.
func (y *memory) pass() {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.passed.Records == 0 {
		y.passed = y.highest
	}
}

// shown forgets what the owner was shown.
func (y *memory) shown() {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.passed = protocol.SignedCheckpoint{}
}
