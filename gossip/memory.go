package gossip

import (
	"fmt"
	"sync"

	"peerd.dev/gossip/wire"
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
var errRolledBack = fmt.Errorf("%w: its folder was restored from a backup or runs twice", wire.ErrMismatch)

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

// refuse raises the alarm and reports whether it is a new one.
func (y *memory) refuse(why string) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	known := y.alarm != ""
	y.alarm, y.alarms = why, y.alarms+1
	return !known
}

// accept ends the alarm and reports whether there was one.
func (y *memory) accept() bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	alarmed := y.alarm != ""
	y.alarm = ""
	return alarmed
}

// lie records that the peer states what this peer has not signed, and reports whether it did so before.
func (y *memory) lie() (before bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	before, y.lied = y.lied, true
	return before
}

func (y *memory) warning() (string, uint64) {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.alarm, y.alarms
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
