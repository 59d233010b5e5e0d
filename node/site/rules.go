package site

import (
	"fmt"
	"time"

	"peerd.dev/node/decision"
)

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
	Named        bool          // a decision without a subject is refused

	Shadow        Shadow
	Baseline      string   // action that keeps a share; "" for none
	BaselineShare float64  // from 0 to 1
	UntilBetter   bool     // the share is 0 while own releases show that another action on offer is better
	Offer         []string // actions that were added to the network and that are chosen without being named; all for every one
}

// OfferAll in [Rules.Offer] stands for every action that is added to the network.
const OfferAll = "all"

// Adding says which reports of a decision make its reward.
type Adding string

// The ways to add reports.
const (
	First Adding = "first" // the first value stands, and another one is refused
	Last  Adding = "last"  // the newest value replaces those before, until the window ends
	Sum   Adding = "sum"   // values add up, each with an id of its own
)

// check refuses reports that do not suit the rules.
func (r *Rules) check(report *decision.Report) *decision.Refusal {
	low, high := r.Range.Ends()
	switch {
	case !report.Empty && !r.Range.Has(float64(report.Value)):
		return &decision.Refusal{Code: decision.Invalid, Field: "value", Reason: fmt.Sprintf("want a number from %v to %v", low, high)}
	case report.Part != "" && r.Adding != Sum:
		return &decision.Refusal{Code: decision.Invalid, Field: "report", Reason: "want none unless rewards of a decision add up (api.reward: sum)"}
	case report.Part == "" && r.Adding == Sum && !report.Empty:
		return &decision.Refusal{Code: decision.Invalid, Field: "report", Reason: "want an id of this report, since the rewards of a decision add up (api.reward: sum) and a repeated report must count once"}
	}
	return nil
}
