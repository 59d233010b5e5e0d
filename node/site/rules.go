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

// Shadow says what a site does with what its application took by a policy of its own.
type Shadow string

// The ways to run in the shadow of an application's policy.
const (
	NoShadow      Shadow = "off"     // the peer chooses
	ShadowPropose Shadow = "propose" // it says what it would have chosen, and learns nothing
	ShadowLearn   Shadow = "learn"   // it learns from what was taken, too
)

// shadows reports whether the application chooses.
func (s Shadow) shadows() bool { return s == ShadowPropose || s == ShadowLearn }

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

	Shadow        Shadow
	Baseline      string   // action that keeps a share; "" for none
	BaselineShare float64  // from 0 to 1
	UntilBetter   bool     // the share is 0 while own releases show that another action on offer is better
	Offer         []string // actions that were added to the network and that are chosen without being named; all for every one
}
