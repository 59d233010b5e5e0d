package node

import (
	"time"

	"peerd.dev/bandit"
)

// Status is what a peer reports to its operator. Everything in it is public.
type Status struct {
	Round     uint64    // rounds played
	Rounds    uint64    // to play
	Pulls     []uint64  // by arm; nil if an application's counts are noised, or its actions depend on features
	Means     []float64 // estimates, by arm
	Samples   []float64 // number of rewards on which the estimates rest, by arm
	Noise     []float64 // standard deviation of the noise in the estimates, by arm
	Parameter bandit.Parameter
	Support   bandit.Support // what the estimates rest on
	Best      bandit.Arm     // best for the site's own users, with an error of at most 5 %; bandit.NoArm while that is not known
	Drifted   []bandit.Arm   // their mean for the site's own users has changed, with an error of at most 5 %
	Spent     float64        // ε
	Left      float64        // ε
	Released  uint64         // releases drawn
	Refused   uint64         // messages that were a peer's fault
	Skipped   uint64         // rounds that passed without the peer, which was busy, down or blocked
	Flooded   uint64         // messages dropped because their sender sent too many in a round
	LastErr   string         // the newest fault of a peer
	Pending   uint64         // decisions that wait for their reward; 0 if an application's counts are noised
	Records   uint64         // ledger records
	Confirmed uint64         // round of the last state that half of the neighbours remember, to which a recovery goes back
	Full      bool           // the disk is full
	Regret    float64        // of the simulated world, over all rounds; 0 with an application

	BlockedReason string // why nothing is released; empty if releases are made
	AloneReason   string // why the peer continues without another one that its protocol needs; empty if it does not

	Policy string // what the site adds to its learner, in a sentence; empty for nothing
	Users  string // how many decisions named no user, in a sentence; empty for none

	Learning  Learning
	Notice    string    // explanation of Learning; empty if there is none
	Remaining uint64    // leaves that the charge still pays for, of the stream with fewest; 0 for an idle peer
	Until     time.Time // about when learning ends; zero if no clock says so
}

// Learning is how much of what its charge pays for a peer has used.
type Learning string

// The states of learning, in order.
const (
	Waits Learning = "waiting"  // the network has not started
	Goes  Learning = "learning" // also for an idle peer
	Ends  Learning = "ending"   // a tenth of the leaves is left, or some streams have none left
	Ended Learning = "ended"    // the peer does not learn from rewards any more
)
