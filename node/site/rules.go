package site

import "time"

// Settle says when a reward is observed. The reward itself is always private; the time at which
// it is observed is not, since all peers see how many rewards there are.
type Settle string

// The ways to settle.
const (
	// AtWindow observes every reward when its window ends, so that nothing shows when it was
	// reported, or whether.
	AtWindow Settle = "window"
	// OnArrival observes a reward in the round after the report that completes it: any report with
	// [First], and otherwise one that ends the window, since others can follow. If only good outcomes
	// are reported, the fact that a report came reveals the outcome.
	OnArrival Settle = "arrival"
)

// Rules are the operator's settings for decisions.
type Rules struct {
	Window       time.Duration // how long a decision's reward is accepted
	Default      float64       // reward of a decision for which none is reported, in the application's units
	Range        Range
	Adding       Adding
	Settle       Settle
	Fallback     string        // action while the learner is not ready; "" lets the learner choose nevertheless
	MinExposures uint64        // decisions that every action gets before the learner chooses
	Keep         time.Duration // how long a decision is remembered after its window
	PerSubject   uint64        // decisions of one subject that count
}
