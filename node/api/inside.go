package api

import (
	"fmt"

	"peerd.dev/node/decision"
)

// ErrGivesAll refuses what is inside a peer that keeps no decision.
var ErrGivesAll error = &decision.Refusal{Code: decision.Unknown, Reason: "this peer gives all decisions to its network (privacy.answers: anyone)"}

// Inside is what only the people of a site may see: it follows from exact rewards of its own users.
type Inside struct {
	Given   uint64         `json:"given" doc:"Decisions that were given to the network."`
	Kept    uint64         `json:"kept" doc:"Decisions that were kept."`
	Pending uint64         `json:"pending" doc:"Of both, those that wait for their reward."`
	Actions []InsideAction `json:"actions" doc:"In the order of the network. Empty with a learner by features."`
	Gain    *Gain          `json:"gain,omitempty" doc:"What the site's own users have gained by the network, from exact rewards; absent while it is not computed."`
}

// InsideAction is what the people of a site may see of an action, in the application's units of rewards.
type InsideAction struct {
	Name      string  `json:"name"`
	Decisions uint64  `json:"decisions" doc:"Given and kept."`
	Rewards   float64 `json:"rewards" doc:"Rewards of own users, given and kept, since the mean last changed; with privacy.inside, as many without noise as would say as much."`
	Mean      float64 `json:"mean" doc:"Mean of these rewards: exact, or with the noise of privacy.inside; 0 while there is none."`
	Estimate  float64 `json:"estimate" doc:"Mean from which kept choices follow: own rewards and, as far as others are alike, theirs; 0 while nothing is known."`
	Retired   bool    `json:"retired,omitempty" doc:"The network has ended its choices."`
}

// Format implements [fmt.Formatter].
func (Inside) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Format implements [fmt.Formatter].
func (InsideAction) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }
