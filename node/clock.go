package node

import "time"

// Clock is the clock of a network: round t lasts from Start + t·Every to the beginning of
// the next.
type Clock struct {
	Start time.Time
	Every time.Duration
}
