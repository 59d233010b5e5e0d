package gossip

import (
	"fmt"
	"strings"
	"sync"

	"peerd.dev/protocol"
)

// Peers remember the highest checkpoint of each neighbour's ledger and send it in every
// hello. If a peer's folder was restored from a backup, or runs twice, both ends notice:
//
//   - the peer receives a checkpoint of its own ledger that its ledger does not follow;
//   - its neighbour receives a checkpoint that does not follow an earlier one, raises an
//     alarm and accepts nothing from the peer.
//
// Streams overtake each other, so a checkpoint below the highest known one proves nothing
// by itself. What counts is a checkpoint that a peer advertises after it has read what is
// remembered of it: the one in the answer to a hello, or the frame that the opener of a
// stream sends after it has read the answer. An honest peer's checkpoint then follows
// everything that is remembered of it.

// errRolledBack is wrapped by errors about a neighbour whose checkpoint does not follow an
// earlier one.
var errRolledBack = fmt.Errorf("%w: its folder was restored from a backup or runs twice", ErrMismatch)

// memory is what a link knows of the neighbour's ledger.
type memory struct {
	order   sync.Mutex // of the calls of OnCheckpoint
	mu      sync.Mutex
	highest protocol.Checkpoint
	alarm   string // why the neighbour was refused; empty once it is accepted again
	alarms  uint64 // how often it was refused
}

func (y *memory) remembered() protocol.Checkpoint {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.highest
}

func (y *memory) warning() (string, uint64) {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.alarm, y.alarms
}

// Advance sets this peer's checkpoint: on every link c, or a later checkpoint, is sent
// before every message that is sent from now on. A checkpoint without more records than
// the last one changes nothing.
func (h *Host) Advance(c protocol.Checkpoint) {
	for last := h.checkpoint.Load(); h.cfg.Checkpoints && c.Records > last.Records; last = h.checkpoint.Load() {
		if h.checkpoint.CompareAndSwap(last, &c) {
			return
		}
	}
}

// checkRemembered compares what the neighbour remembers of this peer with this peer's own
// checkpoint. It is an error if the own one does not follow it. Where the neighbour refuses this
// run, or is not the run that it should be, it is heard for that error only.
func (l *link) checkRemembered(c protocol.Checkpoint, rival bool) error {
	own := *l.h.checkpoint.Load()
	if l.h.cfg.OnRemembered != nil && (!rival || !own.Follows(c)) {
		l.h.cfg.OnRemembered(l.index, c)
	}
	if !own.Follows(c) {
		return fmt.Errorf("%w: it remembers %v of this peer, here are %v: this folder was restored from a backup or runs twice", ErrMismatch, c, own)
	}
	return nil
}

// checkAdvertised accepts a checkpoint that the neighbour sent after it had read what this
// peer remembered of it, or refuses the neighbour.
func (l *link) checkAdvertised(c, remembered protocol.Checkpoint) error {
	if !c.Follows(remembered) {
		return l.refuse(c, remembered)
	}
	if err := l.remember(c); err != nil {
		return err
	}
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if l.alarm != "" {
		l.alarm = ""
		l.log.Info("peer is where it should be again", "id", l.id, "has", c)
	}
	return nil
}

// remember stores a checkpoint if it is the highest.
func (l *link) remember(c protocol.Checkpoint) error {
	l.order.Lock()
	defer l.order.Unlock()
	highest := l.remembered()
	switch {
	case c.Records < highest.Records: // another stream was faster
		return nil
	case !c.Follows(highest):
		return l.refuse(c, highest)
	case c == highest:
		return nil
	}
	l.memory.mu.Lock()
	l.highest = c
	l.memory.mu.Unlock()
	if l.h.cfg.OnCheckpoint != nil {
		l.h.cfg.OnCheckpoint(l.index, c)
	}
	return nil
}

// refuse raises the alarm and returns the error to refuse the neighbour with.
func (l *link) refuse(has, had protocol.Checkpoint) error {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	l.alarms++
	if l.alarm == "" { // logged once for each alarm
		l.log.Warn("refused: this peer's folder was restored from a backup or runs twice", "id", l.id, "has", has, "had", had)
	}
	err := fmt.Errorf("%w: it has %v, and had %v before", errRolledBack, has, had)
	l.alarm = strings.TrimPrefix(err.Error(), ErrMismatch.Error()+": ")
	return err
}

// barred reports whether messages that the peer publishes are ignored: it was refused
// because of its checkpoint, and no link with an accepted one is up.
func (m *member) barred() bool {
	if m.link == nil {
		return false
	}
	if alarm, _ := m.link.warning(); alarm == "" {
		return false
	}
	state, _, _ := m.link.state()
	return state != Up
}
