package site

import "time"

// Settle says when a reward is taken in. The reward itself is always private; the time at
// which it is taken in is not, since all peers see how many rewards there are.
type Settle string

// The ways to settle.
const (
	// AtWindow takes every reward in when its window ends, so that it does not show when
	// it was reported, or whether.
	AtWindow Settle = "window"
	// OnArrival takes a reward in with the round after its report. Where only good
	// outcomes are reported, that a report came says what it was.
	OnArrival Settle = "arrival"
)

// Rules are the operator's settings for decisions.
type Rules struct {
	Window       time.Duration // for how long a decision's reward is taken
	Default      float64       // reward of a decision that got none
	Settle       Settle
	Fallback     string        // action while the learner is not ready; "" lets it choose all the same
	MinExposures uint64        // decisions that every action gets before the learner chooses
	Keep         time.Duration // for how long a decision is remembered after its window
	PerSubject   uint64        // decisions of one subject that count
}
