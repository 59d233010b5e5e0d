package api

import (
	"strconv"
	"time"

	"peerd.dev/node/decision"
)

// The bodies of answers.
type (
	decisionBody struct {
		ID         string             `json:"id"`
		Action     string             `json:"action"`
		Propensity float64            `json:"propensity" minimum:"0" maximum:"1" doc:"Probability of the action, given the features and what all peers may know; of a learner that samples, by 64 samples. With taken, what you sent; of a draw, what its table says."`
		Source     decision.Source    `json:"source" enum:"learned,exposure,fallback,initial,baseline,application,table" doc:"Why this action: the learner chose it, or did and knows no reward yet; it is tried a few times first; it is the configured fallback or baseline; your own policy took it; or you drew it."`
		Model      string             `json:"model" doc:"What the action was chosen from: the peer's incarnation, its round, and how many releases it had made. Decisions of one model rest on the same releases."`
		Counted    bool               `json:"counted" doc:"The peer will learn from the reward."`
		Uncounted  decision.Uncounted `json:"uncounted,omitempty" enum:"subject,phase,ended,shadow,retired,recovered" doc:"Why it will not: the subject has reached its limit; a phased learner explores with other decisions; learning has ended; the peer proposes only; the action is retired; or the decision is from before a recovery."`
		Kept       bool               `json:"kept,omitempty" doc:"The decision is not given to the network: nothing of it leaves the site. Its action follows from exact rewards of the site's users. Only at peers with privacy.answers: inside."`
		Repeated   bool               `json:"repeated" doc:"The decision was made before, for a request with the same id."`
		Proposed   string             `json:"proposed,omitempty" doc:"What the peer would have chosen, in shadow mode."`
		ExpiresAt  time.Time          `json:"expires_at" doc:"The reward is accepted until then."`
	}

	receiptBody struct {
		ID        string `json:"id"`
		Duplicate bool   `json:"duplicate" doc:"The same reward was reported before."`
		Counted   bool   `json:"counted" doc:"The peer learns from it, as the decision said."`
	}

	decisionOutcomeBody struct {
		Status   int           `json:"status" doc:"The HTTP status that the item would have had as a request of its own."`
		Decision *decisionBody `json:"decision,omitempty"`
		Problem  *Problem      `json:"problem,omitempty"`
	}

	receiptOutcomeBody struct {
		Status  int          `json:"status" doc:"The HTTP status that the item would have had as a request of its own."`
		Receipt *receiptBody `json:"receipt,omitempty"`
		Problem *Problem     `json:"problem,omitempty"`
	}

	healthBody struct {
		Status string `json:"status" enum:"ok"`
		State  string `json:"state,omitempty" doc:"In a sentence, what the peer does now."`
	}

	readyBody struct {
		Status string `json:"status" enum:"ok"`
		State  string `json:"state,omitempty" doc:"In a sentence, what the peer does now."`
		Alone  string `json:"alone,omitempty" doc:"Reason why the peer goes on without one that its protocol needs."`
	}
)

// bytes returns what encoding/json would write: an id has no character that needs an escape.
func (r receiptBody) bytes() []byte {
	b := make([]byte, 0, len(r.ID)+64)
	b = append(append(append(b, `{"id":"`...), r.ID...), `","duplicate":`...)
	b = append(strconv.AppendBool(b, r.Duplicate), `,"counted":`...)
	return append(strconv.AppendBool(b, r.Counted), '}')
}
