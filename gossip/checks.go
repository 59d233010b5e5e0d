package gossip

import (
	"fmt"
	"strings"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// checkRemembered compares what the neighbour remembers of this peer with this peer's own
// checkpoint, and returns an error if the own one does not follow. If rival is set, the neighbour
// is connected with another run of this peer, or is not the expected run itself; then
// OnRemembered is called only in case of that error. What this peer has not signed is no memory of it.
func (l *link) checkRemembered(s protocol.SignedCheckpoint, rival bool) error {
	own, c, proven := l.all.checkpoint.Load(), s.Checkpoint, l.all.cfg.proves(l.all.cfg.Self, s)
	if !proven && !own.Follows(c) {
		return l.unproven(s)
	}
	if l.all.cfg.OnRemembered != nil && (!rival || !own.Follows(c)) {
		l.all.cfg.OnRemembered(l.index, c, proven)
		go func() { _ = l.all.CompareClock(l.all.work, l.index) }() // a clock that was not heard is asked again with the next link
	}
	l.all.compareOwn(l.index, s)
	if !own.Follows(c) {
		return fmt.Errorf("%w: it remembers %v of this peer, here are %v: this folder was restored from a backup or runs twice", wire.ErrMismatch, c, own.Checkpoint)
	}
	return nil
}

// unproven returns the error for a checkpoint of this peer that a neighbour states and this peer has not signed.
func (l *link) unproven(s protocol.SignedCheckpoint) error {
	err, why := wire.ErrViolation, "this peer has not signed"
	if stated, ok := l.all.cfg.formerly(l.all.cfg.Self, s); ok && s.Records <= l.all.cfg.MostRecords {
		err, why = wire.ErrMismatch, fmt.Sprintf("a replaced key of this peer has signed, and %d records were stated when it was replaced: it is in other hands, or this folder is an older copy", stated)
	}
	if !l.lie() { // logged once
		l.log.Warn("refused: the neighbour states a checkpoint of this peer that "+why, "id", l.id, "states", s.Checkpoint)
	}
	return fmt.Errorf("%w: it states %v of this peer, which %s", err, s.Checkpoint, why)
}

// checkAdvertised accepts or refuses the neighbour by a checkpoint that it sent after it had read
// what this peer remembers of it.
func (l *link) checkAdvertised(c, remembered protocol.SignedCheckpoint) error {
	if !l.all.cfg.proves(l.index, c) {
		return fmt.Errorf("%w: %v with a wrong signature", wire.ErrViolation, c.Checkpoint)
	}
	if !c.Follows(remembered.Checkpoint) {
		return l.refuse(c, remembered.Checkpoint)
	}
	if err := l.remember(c); err != nil {
		return err
	}
	if l.accept() {
		l.log.Info("peer is where it should be again", "id", l.id, "has", c.Checkpoint.String())
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
	if l.all.cfg.OnCheckpoint != nil {
		l.all.cfg.OnCheckpoint(l.index, c)
	}
	return nil
}

// refuse raises the alarm and returns the error for the refusal.
func (l *link) refuse(c protocol.SignedCheckpoint, had protocol.Checkpoint) error {
	l.all.compare(l.member, c)
	has := c.Checkpoint
	err := fmt.Errorf("%w: it has %v, and had %v before", errRolledBack, has, had)
	if l.memory.refuse(strings.TrimPrefix(err.Error(), wire.ErrMismatch.Error()+": ")) { // logged once for each alarm
		l.log.Warn("refused: this peer's folder was restored from a backup or runs twice", "id", l.id, "has", has.String(), "had", had.String())
	}
	return err
}

// checkRival returns an error if the neighbour is connected with another run of this peer.
func (l *link) checkRival(ours, theirs *wire.Hello) error {
	if ours.Run == 0 || theirs.Linked == 0 || theirs.Linked == ours.Run {
		return nil
	}
	if l.all.cfg.OnRival != nil {
		l.all.cfg.OnRival(l.index)
	}
	return fmt.Errorf("%w: this peer's key runs twice: the neighbour is connected with another process that has it", wire.ErrMismatch)
}
