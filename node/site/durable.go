package site

import (
	"time"

	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// durableStatus is a site's status after a step that is durable. A crash could undo a later step,
// and its noise would be drawn a second time.
type durableStatus struct {
	step   uint64
	belief lastBelief
	state  progress
	ledger protocol.Checkpoint
	alone  string // why, if it is alone
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
