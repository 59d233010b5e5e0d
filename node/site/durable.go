package site

import (
	"time"

	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// durableStatus is a site's status after a step that is durable. A crash could undo a later step,
// and its noise would be drawn a second time.
type durableStatus struct {
	step     uint64
	belief   lastBelief
	round    uint64
	pulls    []uint64
	released uint64
	ledger   protocol.Checkpoint
	left     float64
	regret   float64
	pending  uint64
	alone    string // why, if it is alone
}

// withoutCounts returns d without exact numbers of decisions.
func (d *durableStatus) withoutCounts() *durableStatus {
	hidden := *d
	hidden.pulls, hidden.pending = nil, 0
	return &hidden
}

// withoutPulls returns d without the numbers of choices of each action.
func (d *durableStatus) withoutPulls() *durableStatus {
	hidden := *d
	hidden.pulls = nil
	return &hidden
}

// sending is a step that is written but may not be durable yet.
type sending struct {
	pending    store.Pending
	step       uint64
	checkpoint protocol.Checkpoint
	messages   []protocol.Envelope // in the form in which the outbox has them
	at         time.Time           // when they are sent
	status     *durableStatus      // nil if the step changes nothing
}

// sendQueue is how many steps may wait to become durable.
const sendQueue = 256
