package gossip

import (
	"fmt"
	"strings"
	"sync"
)

// Peers remember how far their neighbours' ledgers were, and tell them. A peer
// whose folder was restored from a backup, or runs twice, is found out by that,
// from both ends:
//
//   - it is told of a mark that its own does not follow, and so knows;
//   - it names a mark that does not follow what it named before, so its
//     neighbour knows, raises an alarm and takes nothing in from it.
//
// Streams overtake each other, so a lower mark than the highest known proves
// nothing by itself. What is compared is what a peer names after it was told:
// the answer to a hello, or the mark that the end which opened a stream sends
// after it has read the answer. What an honest peer says then follows all that
// it is told.

// errWentBack is wrapped by what is wrong with a neighbour's mark.
var errWentBack = fmt.Errorf("%w: its folder was restored from a backup or runs twice", ErrMismatch)

// memory is what a link knows of the neighbour's ledger.
type memory struct {
	order   sync.Mutex // of what Saw is told
	mu      sync.Mutex
	highest Mark
	alarm   string // why the neighbour was refused, until it is where it should be
	alarms  uint64 // how often
}

func (y *memory) remembered() Mark {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.highest
}

func (y *memory) warning() (string, uint64) {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.alarm, y.alarms
}

// Advance says that this peer's ledger has grown to m: on every link m, or a
// later mark, goes before every message that is sent from now on. A mark with no
// more records than the last one changes nothing. Advance must not be called at
// the same time as itself.
func (h *Host) Advance(m Mark) {
	if h.cfg.Marks && m.Records > h.mark.Load().Records {
		h.mark.Store(&m)
	}
}

// told takes in what the neighbour remembers of this peer. It is an error if
// that is ahead of what is here.
func (l *link) told(m Mark) error {
	if l.h.cfg.Told != nil {
		l.h.cfg.Told(l.index, m)
	}
	if own := *l.h.mark.Load(); !own.Follows(m) {
		return fmt.Errorf("%w: it remembers %v of this peer, here are %v: this folder was restored from a backup or runs twice", ErrMismatch, m, own)
	}
	return nil
}

// named takes in a mark that the neighbour named when it had been told before.
func (l *link) named(m, before Mark) error {
	if !m.Follows(before) {
		return l.wentBack(m, before)
	}
	if err := l.learn(m); err != nil {
		return err
	}
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if l.alarm != "" {
		l.alarm = ""
		l.log.Info("peer is where it should be again", "id", l.id, "has", m)
	}
	return nil
}

// learn remembers a mark if it is the highest.
func (l *link) learn(m Mark) error {
	l.order.Lock()
	defer l.order.Unlock()
	had := l.remembered()
	switch {
	case m.Records < had.Records: // overtaken by what another stream brought
		return nil
	case !m.Follows(had):
		return l.wentBack(m, had)
	case m == had:
		return nil
	}
	l.memory.mu.Lock()
	l.highest = m
	l.memory.mu.Unlock()
	if l.h.cfg.Saw != nil {
		l.h.cfg.Saw(l.index, m)
	}
	return nil
}

// wentBack raises the alarm.
func (l *link) wentBack(has, had Mark) error {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	l.alarms++
	if l.alarm == "" { // once until it is over
		l.log.Warn("refused: this peer's folder was restored from a backup or runs twice", "id", l.id, "has", has, "had", had)
	}
	err := fmt.Errorf("%w: it has %v, and had %v before", errWentBack, has, had)
	l.alarm = strings.TrimPrefix(err.Error(), ErrMismatch.Error()+": ")
	return err
}

// barred reports whether what the peer publishes is not to be taken in: it was
// refused for going back, and there is no link by which it has proved itself.
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
