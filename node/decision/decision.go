// Package decision holds what a site's application asks its peer and what it is
// told: "which action?" and "this was the reward".
package decision

import (
	"fmt"
	"time"

	"peerd.dev/bandit"
)

// An Ask asks for an action.
type Ask struct {
	ID      string   // of the caller's making, so that it can ask again; "" takes one of the peer's
	Exclude []string // actions that may not be chosen
	Subject string   // whose decision it is, such as a patient's number; "" if it is no subject's

	// Features describe the situation to a contextual learner: a list of finite numbers
	// for each action, as the peer's [Shape] wants them; nil for other learners. They are
	// private, like a reward, and are not logged or sent.
	Features [][]float64
}

// Source says what a choice rests on.
type Source string

// The sources.
const (
	Learned  Source = "learned"  // the learner's choice
	Exposure Source = "exposure" // the action had fewer decisions than every action is to get first
	Fallback Source = "fallback" // the configured action, while the learner is not ready
)

// A Decision is the answer to an [Ask]. It was durable before it was given.
type Decision struct {
	ID         string
	Action     string
	Propensity float64 // probability of the action, given what all peers may know
	Source     Source
	Counted    bool      // its reward will be learnt from; false for a subject over its cap
	Repeated   bool      // it was asked for before
	ExpiresAt  time.Time // until then its reward is taken
}

// A Report brings the reward of a decision.
type Report struct {
	ID    string
	Value bandit.Reward // in [0,1]
}

// A Receipt is the answer to a [Report]. The reward is durable.
type Receipt struct {
	ID        string
	Duplicate bool // it was reported before, with the same value
	Counted   bool // as in [Decision]
}

// An Outcome is a value or the reason why there is none.
type Outcome[T any] struct {
	Value T
	Err   error // a *[Refusal], unless the peer is broken
}

// Code says why something was refused.
type Code string

// The codes.
const (
	Invalid     Code = "invalid"     // out of range, not finite, not a name
	Unknown     Code = "unknown"     // no such decision
	Conflict    Code = "conflict"    // it was decided or rewarded otherwise
	Expired     Code = "expired"     // its window is over
	Full        Code = "full"        // the disk is; nothing was stored
	Simulated   Code = "simulated"   // this peer plays a simulated world
	Unavailable Code = "unavailable" // the peer is ending
)

// A Refusal says what was wrong and with which field. Nothing was changed.
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
