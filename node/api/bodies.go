package api

import (
	"time"

	"peerd.dev/node/decision"
)

// The bodies of requests, for docs/openapi.json; decode.go reads them.
type (
	askBody struct {
		ID      string   `json:"id,omitempty" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9._:-]+$" doc:"Yours, so that a repeated request gets the same decision; without it the peer makes one."`
		Exclude []string `json:"exclude,omitempty" maxItems:"1000" doc:"Actions that may not be chosen."`
		Subject string   `json:"subject,omitempty" minLength:"1" maxLength:"256" doc:"Whose decision it is, such as a patient's number. It stays in this peer's folder. Of one subject no more rewards are learnt from than the privacy settings allow."`

		Features [][]float64 `json:"features,omitempty" maxItems:"1000,1000" doc:"What is known of the situation: a list of numbers for each action, in the network's order, excluded actions among them. Needed by contextual learners, and refused by others. Features are private: they are never sent to another peer."`
	}

	askBatchBody struct {
		Decisions []askBody `json:"decisions" minItems:"1" maxItems:"1000"`
	}

	rewardBody struct {
		ID    string  `json:"id" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9._:-]+$" doc:"Of the decision."`
		Value float64 `json:"value" minimum:"0" maximum:"1"`
	}

	rewardBatchBody struct {
		Rewards []rewardBody `json:"rewards" minItems:"1" maxItems:"1000"`
	}
)

// The bodies of answers.
type (
	decisionBody struct {
		ID         string          `json:"id"`
		Action     string          `json:"action"`
		Propensity float64         `json:"propensity" minimum:"0" maximum:"1" doc:"Probability of the action, given the features and what all peers may know."`
		Source     decision.Source `json:"source" enum:"learned,exposure,fallback" doc:"What the choice rests on: what was learnt; that every action is to be chosen a few times first; or the configured action, while the peer is not ready."`
		Counted    bool            `json:"counted" doc:"The reward will be learnt from; false for a subject over its cap."`
		Repeated   bool            `json:"repeated" doc:"It was asked for before, with this id."`
		ExpiresAt  time.Time       `json:"expires_at" doc:"Until then the reward is taken."`
	}

	receiptBody struct {
		ID        string `json:"id"`
		Duplicate bool   `json:"duplicate" doc:"The same reward was reported before."`
		Counted   bool   `json:"counted" doc:"It is learnt from, as the decision said."`
	}

	decisionOutcomeBody struct {
		Status   int           `json:"status" doc:"What the request would have been answered alone."`
		Decision *decisionBody `json:"decision,omitempty"`
		Problem  *Problem      `json:"problem,omitempty"`
	}

	receiptOutcomeBody struct {
		Status  int          `json:"status" doc:"What the request would have been answered alone."`
		Receipt *receiptBody `json:"receipt,omitempty"`
		Problem *Problem     `json:"problem,omitempty"`
	}

	decisionBatchBody struct {
		Outcomes []decisionOutcomeBody `json:"outcomes" doc:"One an item, in the order of the request."`
	}

	receiptBatchBody struct {
		Outcomes []receiptOutcomeBody `json:"outcomes" doc:"One an item, in the order of the request."`
	}

	healthBody struct {
		Status string `json:"status" enum:"ok"`
	}
)
