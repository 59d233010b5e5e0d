package node

import "time"

// Slots is the clock of a network: round t is the slot from Start + t·Every to
// the next.
type Slots struct {
	Start time.Time
	Every time.Duration
}
