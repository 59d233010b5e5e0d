package api

import (
	"strconv"
	"time"

	"peerd.dev/node/decision"
)

// The bodies of requests, for docs/openapi.json; decode.go reads them.
type (
	askBody struct {
		ID      string   `json:"id,omitempty" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9._:-]+$" doc:"Your id of the decision: a repeated request with the same id gets the same decision. Without it the peer makes one."`
		Exclude []string `json:"exclude,omitempty" maxItems:"1000" doc:"Actions that must not be chosen: of actions, where these are given, and else of the network."`
		Subject string   `json:"subject,omitempty" minLength:"1" maxLength:"256" doc:"The person whom the decision is about, such as a patient's number. It never leaves this peer's folder. The peer learns from at most as many rewards of one subject as the privacy settings allow."`

		Features [][]float64  `json:"features,omitempty" maxItems:"1000,1000" doc:"Features of the network's actions: a list of numbers for each, in the network's order, including excluded actions. Contextual learners need these or actions, other learners refuse both. Features are private: they are never sent to another peer."`
		Context  []float64    `json:"context,omitempty" maxItems:"1000" named:"true" doc:"What all actions of the decision share: an object with a value for each name of features.context, or as many numbers as learner.linucb.context, with a sum of squares of at most 1. Private, as features are."`
		Actions  []actionBody `json:"actions,omitempty" minItems:"1" maxItems:"1000" doc:"Actions on offer. By features, with their features and ids of your own, no more than the network has; the next decision may offer others. Else names of the network's, as objects or strings."`

		Taken *takenBody `json:"taken,omitempty" doc:"What your own policy took: required with api.shadow propose or learn, refused with off. Private."`
		Table string     `json:"table,omitempty" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9._:-]+$" doc:"Version of the table (GET /v1/table) from which you drew the action of this id, while the peer was down. The peer repeats the draw."`
	}

	actionBody struct {
		ID       string    `json:"id" minLength:"1" maxLength:"1024" doc:"Your id of the action, which the decision returns; without features the name of one of the network's."`
		Features []float64 `json:"features,omitempty" maxItems:"1000" named:"true" doc:"With a learner by features, and only then: an object with a value for each name of features.action, or as many numbers as learner.linucb.features, with a sum of squares of at most 1. Private."`
	}

	takenBody struct {
		Action     string  `json:"action" minLength:"1" maxLength:"1024" doc:"An action on offer."`
		Propensity float64 `json:"propensity" minimum:"0" maximum:"1" doc:"Above 0: the probability with which your policy took it."`
	}

	askBatchBody struct {
		Decisions []askBody `json:"decisions" minItems:"1" maxItems:"1000"`
	}

	rewardBody struct {
		ID     string  `json:"id" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9._:-]+$" doc:"Id of the decision."`
		Value  float64 `json:"value" unless:"end" doc:"In the application's units, within api.reward_range, which is [0, 1] unless the network has another one. It may be missing if end is true."`
		End    bool    `json:"end,omitempty" doc:"No further report will come: the decision's window ends, and later reports are refused."`
		Report string  `json:"report,omitempty" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9._:-]+$" doc:"Your id of this report within the decision, so that a repeated one counts once. With api.reward: sum it is required, and otherwise refused."`
	}

	rewardBatchBody struct {
		Rewards []rewardBody `json:"rewards" minItems:"1" maxItems:"1000"`
	}
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
		Repeated   bool               `json:"repeated" doc:"The decision was made before, for a request with the same id."`
		Proposed   string             `json:"proposed,omitempty" doc:"What the peer would have chosen, in shadow mode."`
		ExpiresAt  time.Time          `json:"expires_at" doc:"The reward is accepted until then."`
	}

	tableBody struct {
		Version string       `json:"version" doc:"Of these contents. Report it with what is drawn from them."`
		Model   string       `json:"model" doc:"What the weights follow from; as of a decision."`
		Salt    string       `json:"salt" doc:"Makes draws of different tables independent."`
		Actions []weightBody `json:"actions" doc:"The actions that this peer offers, in the order of the draw."`
		MadeAt  time.Time    `json:"made_at"`
	}

	weightBody struct {
		Name   string `json:"name"`
		Weight uint64 `json:"weight" doc:"The action's probability is in proportion to it. The sum of all is from 1 to 1,048,576; if all actions that may be drawn have 0, each is equally likely."`
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

	decisionBatchBody struct {
		Outcomes []decisionOutcomeBody `json:"outcomes" doc:"One for each item, in the order of the request."`
	}

	receiptBatchBody struct {
		Outcomes []receiptOutcomeBody `json:"outcomes" doc:"One for each item, in the order of the request."`
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
