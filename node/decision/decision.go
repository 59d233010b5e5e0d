// Package decision defines what a site's application sends to its peer, asks for an action and
// reports of a reward, and what the peer answers.
package decision

import (
	"fmt"
	"time"

	"peerd.dev/bandit"
)

// An Ask asks for an action.
type Ask struct {
	ID      string   // chosen by the caller, so that it can repeat the request; "" lets the peer choose one
	Exclude []string // actions that must not be chosen
	Subject string   // the person whom the decision is about, such as a patient's number; "" for none
	Keep    bool     // the decision must not be given to the network: the person has not agreed, or what is offered follows from answers to others

	// A contextual learner needs Features or Actions, with the peer's [Shape]; other learners
	// accept neither. They are private, like a reward, and are not sent.
	Features [][]float64 // of each action of the network, in its order, including excluded ones
	Actions  []Action    // on offer, which need not be the network's
	Context  []float64   // numbers that all actions share; nil if the learner takes none

	Named []string // actions on offer, by name, for learners without features; nil for those that the site offers
	Taken *Taken   // what the application did by a policy of its own; nil if the peer chooses
	Table string   // version of the table from which the application drew the action by the ask's id; "" for none
}

// Taken is what an application did by a policy of its own.
type Taken struct {
	Action     string
	Propensity float64 // probability with which that policy took it, in (0,1]
}

// A Model identifies what a learner chose from: the incarnation, the rounds whose messages it had
// received, and how many nodes it had drawn. Choices of one peer with one model rest on the same
// releases. All of it is public; the number of steps would show how many decisions there were.
type Model struct {
	Incarnation     uint32
	Round, Released uint64
}

func (m Model) String() string { return fmt.Sprintf("%d-%d-%d", m.Incarnation, m.Round, m.Released) }

// A Lot is what a table says of a decision that an application drew from it.
type Lot struct {
	Arm    bandit.Arm
	Chance float64
	Model  Model
	Closed []bandit.Arm // that could not be drawn
}

// Source says why an action was chosen.
type Source string

// The sources.
const (
	Learned  Source = "learned"  // the learner's choice
	Exposure Source = "exposure" // every action gets a number of decisions first, and this one had fewer
	Fallback Source = "fallback" // the configured action, while the learner is not ready
	Initial  Source = "initial"  // the learner's choice before it knows any reward

	Baseline    Source = "baseline"    // the configured baseline keeps its share
	Application Source = "application" // the application took it by a policy of its own
	Drawn       Source = "table"       // the application drew it from a table of this peer
)

// A Decision is the answer to an [Ask]. It was durable before it was returned.
type Decision struct {
	ID         string
	Action     string
	Propensity float64 // probability of the action, given what all peers may know and, with exploration, what the learner chose; 0 if not computed
	Source     Source
	Model      string    // what it was chosen from: incarnation-round-releases; equal for choices from the same releases
	Counted    bool      // the peer will learn from its reward; false for a subject at its limit, and if no release will include it
	Uncounted  Uncounted // why it will not; "" if it will
	Kept       bool      // it is not given to the network: nothing of it leaves the site, and its action follows from exact rewards of the site
	Repeated   bool      // it was made before, for an ask with the same id
	Proposed   string    // what the peer would have chosen, where the application took an action; else ""
	ExpiresAt  time.Time // its reward is accepted until then
}

// Uncounted says why a peer does not learn from the reward of a decision.
type Uncounted string

// The reasons.
const (
	OfSubject Uncounted = "subject"   // the subject has as many rewards as the promise allows
	Exploited Uncounted = "phase"     // the learner explores with other decisions
	Ended     Uncounted = "ended"     // no release will include it
	Shadowed  Uncounted = "shadow"    // the peer proposes only
	Retired   Uncounted = "retired"   // the network ended the action's choices
	Recovered Uncounted = "recovered" // it is from before a recovery
)

// A Report brings the reward of a decision.
type Report struct {
	ID    string
	Value bandit.Reward // in the application's units, within the site's range
	Part  string        // the caller's id of this report, by which a repeated one counts once, where rewards of a decision add up; else ""
	End   bool          // no further report will come: the window ends
	Empty bool          // it has no value, and only ends the window
}

// A Receipt is the answer to a [Report]. The reward is durable.
type Receipt struct {
	ID        string
	Duplicate bool // it was reported before, with the same value
	Counted   bool // as in [Decision]
}

// An Outcome is a value, or the error for which there is none.
type Outcome[T any] struct {
	Value T
	Err   error // a *[Refusal], unless the peer is broken
}

// Code says why something was refused.
type Code string

// The codes.
const (
	Invalid     Code = "invalid"     // out of range, not finite, or not a name
	Unknown     Code = "unknown"     // no such decision
	Conflict    Code = "conflict"    // the id has another decision or reward
	Expired     Code = "expired"     // the time for its reward is over
	Full        Code = "full"        // the disk is full; nothing was stored
	Simulated   Code = "simulated"   // this peer plays a simulated world
	Unavailable Code = "unavailable" // the peer is shutting down
)

// A Refusal says what was wrong and in which field. Nothing was changed.
type Refusal struct {
	Code   Code
	Field  string // "id", "value", …; "" for none
	Reason string // for people; never a reward
}

func (r *Refusal) Error() string {
	if r.Field == "" {
		return r.Reason
	}
	return fmt.Sprintf("%s: %s", r.Field, r.Reason)
}
