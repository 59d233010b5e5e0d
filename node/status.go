package node

import (
	"time"

	"peerd.dev/bandit"
)

// Status is what a peer tells its operator. Everything in it is public.
type Status struct {
	Round     uint64    // rounds played
	Rounds    uint64    // to play
	Pulls     []uint64  // by arm; nil where an application's counts are noised, or its actions follow from features
	Means     []float64 // estimates, by arm
	Samples   []float64 // rewards that the estimates rest on, by arm
	Noise     []float64 // standard deviation of the noise in the estimates, by arm
	Parameter bandit.Parameter
	Spent     float64 // ε
	Left      float64 // ε
	Released  uint64  // releases drawn
	Refused   uint64  // messages that were a peer's fault
	Skipped   uint64  // rounds that passed without the peer: busy, down or blocked
	Flooded   uint64  // messages dropped because their sender sent too many in a round
	LastErr   string  // the newest fault of a peer
	Pending   uint64  // decisions that wait for their reward; 0 where an application's counts are noised
	Records   uint64  // of the ledger
	Confirmed uint64  // round of the last state that half of the neighbours remember, to which a recovery goes back
	Full      bool    // the disk is
	Regret    float64 // of the simulated world, over all rounds; 0 with an application

	BlockedReason string // why nothing is released; empty if it is
	AloneReason   string // why the peer goes on without another one that its protocol needs; empty if it does not

	Learning  Learning
	Notice    string    // what there is to know about Learning; empty if nothing is
	Remaining uint64    // leaves that the charge still pays for, of the stream with fewest; 0 for an idle peer
	Until     time.Time // about when learning ends; zero if no clock says so
}

// Learning is how far a peer is with what its charge pays for.
type Learning string

// The states of learning, in their order.
const (
	Waits Learning = "waiting"  // the network has not started
	Goes  Learning = "learning" // also of a peer that is idle
	Ends  Learning = "ending"   // a tenth of the leaves is left, or some streams have none
	Ended Learning = "ended"    // rewards are learned from no more
)
