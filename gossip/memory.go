package gossip

import (
	"fmt"
	"strings"
	"sync"

	"peerd.dev/protocol"
)

// Peers remember the highest checkpoint of each other peer's ledger, which they hear on links and from others
// ([Host.TradeMemories]), and send what they remember of a neighbour in every hello. Its owner has signed it, so no neighbour can invent one. If a peer's folder was restored from a backup, or runs twice, both ends notice:
//
//   - the peer receives a checkpoint of its own ledger that its ledger does not follow;
//   - its neighbour receives a checkpoint that does not follow an earlier one, raises an
//     alarm and accepts nothing from the peer.
//
// Streams overtake each other, so a checkpoint below the highest known one proves nothing by
// itself. Only a checkpoint that a peer sends after it has read what is remembered of it counts:
// the checkpoint in the answer to a hello, or in the frame that the opener of a stream sends
// after it has read the answer. An honest peer's checkpoint then follows everything that is
// remembered of it.

// errRolledBack is wrapped by errors about a neighbour whose checkpoint does not follow an
// earlier one.
var errRolledBack = fmt.Errorf("%w: its folder was restored from a backup or runs twice", ErrMismatch)

// memory is what is known here of another peer's ledger.
type memory struct {
	order   sync.Mutex // orders the calls of OnCheckpoint
	mu      sync.Mutex
	highest protocol.SignedCheckpoint
	alarm   string                      // why the neighbour was refused; empty once it is accepted again
	alarms  uint64                      // how often it was refused
	lied    bool                        // it has stated what this peer has not signed
	fork    []protocol.SignedCheckpoint // that no single ledger contains; nil for none
	passed  protocol.SignedCheckpoint   // a lower one, of which only the owner can say whether highest follows it
}

func (y *memory) remembered() protocol.SignedCheckpoint {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.highest
}

func (y *memory) keep(c protocol.SignedCheckpoint) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.highest = c
}

func (y *memory) warning() (string, uint64) {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.alarm, y.alarms
}

// Advance sets this peer's checkpoint. From now on, every link sends c or a later checkpoint
// before the next message. Advance does nothing if c has no more records than the last
// checkpoint.
func (h *Host) Advance(c protocol.Checkpoint) {
	if !h.cfg.Checkpoints || c.Records <= h.checkpoint.Load().Records {
		return
	}
	s, err := h.cfg.signed(c)
	if err != nil {
		h.log.Error("a checkpoint is not signed, so no neighbour hears of it", "err", err)
		return
	}
	for last := h.checkpoint.Load(); c.Records > last.Records; last = h.checkpoint.Load() {
		if h.checkpoint.CompareAndSwap(last, &s) {
			return
		}
	}
}

// checkRemembered compares what the neighbour remembers of this peer with this peer's own
// checkpoint, and returns an error if the own one does not follow. If rival is set, the neighbour
// is connected with another run of this peer, or is not the expected run itself; then
// OnRemembered is called only in case of that error. What this peer has not signed is no memory of it.
func (l *link) checkRemembered(s protocol.SignedCheckpoint, rival bool) error {
	own, c, proven := l.h.checkpoint.Load(), s.Checkpoint, l.h.cfg.proves(l.h.cfg.Self, s)
	if !proven && !own.Follows(c) {
		return l.unproven(s)
	}
	if l.h.cfg.OnRemembered != nil && (!rival || !own.Follows(c)) {
		l.h.cfg.OnRemembered(l.index, c, proven)
		go func() { _ = l.h.CompareClock(l.h.work, l.index) }() // a clock that was not heard is asked again with the next link
	}
	l.h.compareOwn(l.index, s)
	if !own.Follows(c) {
		return fmt.Errorf("%w: it remembers %v of this peer, here are %v: this folder was restored from a backup or runs twice", ErrMismatch, c, own.Checkpoint)
	}
	return nil
}

// unproven returns the error for a checkpoint of this peer that a neighbour states and this peer has not signed.
func (l *link) unproven(s protocol.SignedCheckpoint) error {
	err, why := errViolation, "this peer has not signed"
	if stated, ok := l.h.cfg.formerly(l.h.cfg.Self, s); ok && s.Records <= l.h.cfg.MostRecords {
		err, why = ErrMismatch, fmt.Sprintf("a replaced key of this peer has signed, and %d records were stated when it was replaced: it is in other hands, or this folder is an older copy", stated)
	}
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if !l.lied { // logged once
		l.lied = true
		l.log.Warn("refused: the neighbour states a checkpoint of this peer that "+why, "id", l.id, "states", s.Checkpoint)
	}
	return fmt.Errorf("%w: it states %v of this peer, which %s", err, s.Checkpoint, why)
}

// checkAdvertised accepts or refuses the neighbour by a checkpoint that it sent after it had read
// what this peer remembers of it.
func (l *link) checkAdvertised(c, remembered protocol.SignedCheckpoint) error {
	if !l.h.cfg.proves(l.index, c) {
		return fmt.Errorf("%w: %v with a wrong signature", errViolation, c.Checkpoint)
	}
	if !c.Follows(remembered.Checkpoint) {
		return l.refuse(c, remembered.Checkpoint)
	}
	if err := l.remember(c); err != nil {
		return err
	}
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if l.alarm != "" {
		l.alarm = ""
		l.log.Info("peer is where it should be again", "id", l.id, "has", c.Checkpoint)
	}
	return nil
}

// remember stores a checkpoint, which the neighbour has signed, if it is the highest.
func (l *link) remember(c protocol.SignedCheckpoint) error {
	l.order.Lock()
	defer l.order.Unlock()
	highest := l.remembered()
	switch {
	case c.Records < highest.Records: // another stream was faster
		return nil
	case !c.Follows(highest.Checkpoint):
		return l.refuse(c, highest.Checkpoint)
	case c == highest:
		return nil
	}
	l.keep(c)
	if l.h.cfg.OnCheckpoint != nil {
		l.h.cfg.OnCheckpoint(l.index, c)
	}
	return nil
}

// refuse raises the alarm and returns the error for the refusal.
func (l *link) refuse(c protocol.SignedCheckpoint, had protocol.Checkpoint) error {
	l.h.compare(l.member, c)
	has := c.Checkpoint
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

// barred reports whether messages that the peer publishes are ignored: it was refused because of
// its checkpoint, and no link with an accepted checkpoint is up.
func (m *member) barred() bool {
	if m.link == nil {
		return false
	}
	if alarm, _ := m.warning(); alarm == "" {
		return false
	}
	state, _, _ := m.link.state()
	return state != Up
}
