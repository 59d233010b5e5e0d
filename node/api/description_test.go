package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Version is the version of the API, not of the program: it changes when a program written for
// the API may have to change.
const Version = "1.0.0"

// The bodies of requests, for docs/openapi.json; decode.go reads them.
type (
	askBody struct {
		ID      string   `json:"id,omitempty" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9._:-]+$" doc:"Your id of the decision: a repeated request with the same id gets the same decision. Without it the peer makes one."`
		Exclude []string `json:"exclude,omitempty" maxItems:"1000" doc:"Actions that must not be chosen: of actions, where these are given, and else of the network."`
		Subject string   `json:"subject,omitempty" minLength:"1" maxLength:"256" doc:"The person whom the decision is about, such as a patient's number. It never leaves this peer's folder. With api.subject: required, as a new folder has it, a decision without it is refused (422). The peer learns from at most as many rewards of one subject as the privacy settings allow."`

		Features [][]float64  `json:"features,omitempty" maxItems:"1000,1000" doc:"Features of the network's actions: a list of numbers for each, in the network's order, including excluded actions. Contextual learners need these or actions, other learners refuse both. Features are private: they are never sent to another peer."`
		Context  []float64    `json:"context,omitempty" maxItems:"1000" named:"true" doc:"What all actions of the decision share: an object with a value for each name of features.context, or as many numbers as learner.linucb.context, with a sum of squares of at most 1. Private, as features are."`
		Actions  []actionBody `json:"actions,omitempty" minItems:"1" maxItems:"1000" doc:"Actions on offer. By features, with their features and ids of your own, no more than the network has; the next decision may offer others. Else names of the network's, as objects or strings."`

		Taken *takenBody `json:"taken,omitempty" doc:"What your own policy took: required with api.shadow propose or learn, refused with off. Private."`
		Table string     `json:"table,omitempty" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9._:-]+$" doc:"Version of the table (GET /v1/table) from which you drew the action of this id, while the peer was down. The peer repeats the draw."`
		Keep  bool       `json:"keep,omitempty" doc:"The decision must not be given to the network: the person has not agreed, or what is on offer follows from answers to others. Without effect with privacy.answers: anyone, where all decisions are given."`
	}

	actionBody struct {
		ID       string    `json:"id" minLength:"1" maxLength:"1024" doc:"Your id of the action, which the decision returns; without features the name of one of the network's."`
		Features []float64 `json:"features,omitempty" maxItems:"1000" named:"true" doc:"With a learner by features, and only then: an object with a value for each name of features.action, or as many numbers as learner.linucb.features, with a sum of squares of at most 1. Private."`
	}

	takenBody struct {
		Action     string  `json:"action" minLength:"1" maxLength:"1024" doc:"An action on offer."`
		Propensity float64 `json:"propensity" minimum:"1e-9" maximum:"1" doc:"At least 1e-9: the probability with which your policy took it."`
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

// The bodies of answers to batches, which handlers.go writes.
type (
	decisionBatchBody struct {
		Outcomes []decisionOutcomeBody `json:"outcomes" doc:"One for each item, in the order of the request."`
	}

	receiptBatchBody struct {
		Outcomes []receiptOutcomeBody `json:"outcomes" doc:"One for each item, in the order of the request."`
	}
)

// The documents of extras, which write them.
type (
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
)

// LedgerReceipts are what peers have signed about ledgers. Its parts are lines of what an auditor is handed (docs/bundle.md).
type LedgerReceipts struct {
	Receipts    []LedgerReceipt    `json:"receipts" doc:"What neighbours have signed about this peer's ledger: of each the newest of every day, in ascending order of witness and then of time."`
	Checkpoints []LedgerCheckpoint `json:"checkpoints" doc:"What other peers have signed about their own ledgers, in ascending order of peer."`
}

// LedgerReceipt is a neighbour's statement that it remembered a checkpoint of this peer's ledger.
type LedgerReceipt struct {
	Kind      string    `json:"kind" enum:"receipt"`
	Witness   string    `json:"witness" doc:"The neighbour's id, with whose key it has signed."`
	Records   uint64    `json:"records" doc:"Number of records that the ledger had."`
	Head      string    `json:"head" doc:"Hash of the last of them, in hexadecimal."`
	Time      time.Time `json:"time" doc:"When, in seconds, by the neighbour's clock."`
	Signature string    `json:"signature" doc:"Ed25519 signature of what docs/network.md says, in hexadecimal."`
}

// LedgerCheckpoint is the newest that this peer remembers of another one's ledger.
type LedgerCheckpoint struct {
	Kind      string `json:"kind" enum:"checkpoint"`
	Peer      string `json:"peer" doc:"The peer's id, with whose key it has signed."`
	Records   uint64 `json:"records" doc:"Number of records in the ledger."`
	Head      string `json:"head" doc:"Hash of the last of them, in hexadecimal."`
	Signature string `json:"signature" doc:"Ed25519 signature of what docs/network.md says, in hexadecimal."`
}

// A description says what a route takes and gives.
type description struct {
	id      string // for generated programs
	summary string
	about   string
	takes   reflect.Type // of the body; nil for none
	params  []object     // of the path and the query
	gives   reflect.Type // nil for text of another kind
	kind    string       // of text
	fails   []int        // statuses of problems, in addition to those that all routes share
	done    int          // status of an answer; 0 stands for 200
}

// descriptions has one for every route, by method and path.
func descriptions() map[string]description {
	asked := []int{400, 413, 415, 422, 507, 503}
	return map[string]description{
		"POST /v1/decisions": {
			id: "decide", summary: "Choose an action.",
			about: "The decision is durable when the answer is sent. A repeated request with the same id gets the same decision.",
			takes: reflect.TypeFor[askBody](), gives: reflect.TypeFor[decisionBody](), fails: append([]int{409, 410, 403}, asked...),
		},
		"POST /v1/decisions/batch": {
			id: "decide-batch", summary: "Choose actions for a batch.",
			about: "Every item gets the status and the decision or problem that it would have had as a request of its own. A problem with the whole batch means that nothing was stored.",
			takes: reflect.TypeFor[askBatchBody](), gives: reflect.TypeFor[decisionBatchBody](), fails: []int{400, 413, 415, 422},
		},
		"POST /v1/rewards": {
			id: "reward", summary: "Report a reward.",
			about: "The reward is durable when the answer is sent. Reporting the same reward again changes nothing and is answered as a duplicate; another value is refused.",
			takes: reflect.TypeFor[rewardBody](), gives: reflect.TypeFor[receiptBody](), fails: append([]int{403, 404, 409, 410}, asked...),
		},
		"POST /v1/rewards/batch": {
			id: "reward-batch", summary: "Report a batch of rewards.",
			about: "Every item gets the status and the receipt or problem that it would have had as a request of its own. A problem with the whole batch means that nothing was stored.",
			takes: reflect.TypeFor[rewardBatchBody](), gives: reflect.TypeFor[receiptBatchBody](), fails: []int{400, 413, 415, 422},
		},
		"GET /v1/table": {
			id: "table", summary: "How likely each action is, to draw from while the peer is down.",
			about: "The same table is served for ten seconds at least. It is durable when the answer is sent. Refused with a learner by features, in shadow mode and where decisions are kept.",
			gives: reflect.TypeFor[tableBody](), fails: []int{422, 503, 507},
		},
		"GET /v1/status": {
			id: "status", summary: "State of the peer.",
			gives: reflect.TypeFor[Status](), fails: []int{503},
		},
		"GET /v1/arms": {
			id: "arms", summary: "What is known about every action.",
			gives: reflect.TypeFor[[]Arm](), fails: []int{503},
		},
		"GET /v1/peers": {
			id: "peers", summary: "Links to the other peers.",
			gives: reflect.TypeFor[[]Peer](), fails: []int{503},
		},
		"GET /v1/inside": {
			id: "inside", summary: "Given and kept decisions, with exact rewards.",
			about: "Raw data of the site's own users, for its own people: no noise, no budget. It needs role write. Answered with 404 where all decisions are given (privacy.answers: anyone).",
			gives: reflect.TypeFor[Inside](), fails: []int{404, 503},
		},
		"GET /v1/privacy": {
			id: "privacy", summary: "What the peer promises its users.",
			about: "It follows from the configuration and the network's document. peerd privacy explain prints the same page.",
			gives: reflect.TypeFor[Privacy](), fails: []int{503},
		},
		"GET /v1/network": {
			id: "network", summary: "The network as its document describes it.",
			gives: reflect.TypeFor[Network](), fails: []int{503},
		},
		"GET /v1/ledger": {
			id: "ledger", summary: "Everything that this peer released, and what it was charged.",
			about:  "Lines of the ledger as they are in its file. If the rest cannot be read, the connection breaks before the end of the answer.",
			params: ledgerParams(), kind: "application/x-ndjson", fails: []int{422, 503},
		},
		"GET /v1/receipts": {
			id: "receipts", summary: "What peers have signed about ledgers, for an auditor.",
			about: "The peer first asks its neighbours for new receipts, at most once in ten seconds. Over the unix socket only.",
			gives: reflect.TypeFor[LedgerReceipts](), fails: []int{503},
		},
		"GET /v1/backup": {
			id: "backup", summary: "The peer's folder, with its key and raw rewards.",
			about: "A compressed archive (tar, gzip) of what a restored folder needs, as it is now, while the peer goes on. Over the unix socket only. If the rest cannot be read, the connection breaks before the end of the answer.",
			kind:  "application/gzip", fails: []int{503},
		},
		"POST /v1/page-link": {
			id: "page-link", summary: "A link that opens the page for people.",
			about: "It works once, within a minute, and opens the page for 12 hours or until the peer restarts. Over the unix socket only.",
			gives: reflect.TypeFor[PageLink](), fails: []int{409},
		},
		"GET /metrics": {
			id: "metrics", summary: "Metrics for Prometheus.",
			about: "No metric is computed from rewards, not even from noised ones.",
			kind:  "text/plain",
		},
		"GET /healthz": {
			id: "healthz", summary: "Whether the process is alive.",
			gives: reflect.TypeFor[healthBody](),
		},
		"GET /readyz": {
			id: "readyz", summary: "Whether the peer decides and releases.",
			gives: reflect.TypeFor[readyBody](), fails: []int{503},
		},
	}
}

// described returns the description of a route.
func (r route) described() description { return descriptions()[r.method+" "+r.path] }

// spec describes routes in OpenAPI 3.1.
func spec(routes []route) ([]byte, error) {
	all, paths := schemas{}, object{}
	for _, r := range routes {
		if takes := r.described().takes; takes != nil {
			all.of(takes, true) // requests first: only they forbid unknown fields, since a later peer may add fields to answers
		}
	}
	for _, r := range routes {
		wrong := content("application/problem+json", all.of(reflect.TypeFor[Problem](), false))
		paths[r.path] = object{strings.ToLower(r.method): all.operation(r, wrong)}
	}
	b, err := json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "peerd", "version": Version,
			"description": "The API of a peer for the application of its site. Over the unix socket in the peer's folder it needs no token; over TCP, on a loopback address, it needs a token of that folder: api.read.token for what asks, api.write.token for decisions and rewards, api.token for all.",
		},
		"servers": []object{{"url": "http://127.0.0.1:8470"}},
		"components": object{
			"schemas": all,
			"securitySchemes": object{
				"token": object{"type": "http", "scheme": "bearer"},
			},
		},
		"paths": paths,
	}, "", "  ")
	return append(b, '\n'), err
}

// operation describes one route; wrong is the content of its problems.
func (all schemas) operation(r route, wrong object) object {
	d := r.described()
	o := object{"operationId": d.id, "summary": d.summary, "security": []object{{"token": []string{}}, {}}}
	fails := append([]int{401, 403, 500}, d.fails...)
	if r.public {
		o["security"] = []object{{}}
		fails = append([]int{403, 500}, d.fails...)
	}
	if r.local {
		o["security"] = []object{{}}
		fails = append([]int{403, 500}, d.fails...)
	}
	if d.about != "" {
		o["description"] = d.about
	}
	if d.params != nil {
		o["parameters"] = d.params
	}
	if d.takes != nil {
		o["requestBody"] = object{"required": true, "content": content("application/json", all.of(d.takes, true))}
	}
	gives := content(d.kind, object{"type": "string"})
	if d.gives != nil {
		gives = content("application/json", all.of(d.gives, false))
	}
	responses := object{strconv.Itoa(max(d.done, http.StatusOK)): object{"description": "Done.", "content": gives}}
	if d.done == http.StatusNoContent {
		responses = object{strconv.Itoa(d.done): object{"description": "Done."}}
	}
	for _, status := range fails {
		responses[strconv.Itoa(status)] = object{"description": meaning(status), "content": wrong}
	}
	o["responses"] = responses
	return o
}

// content is a body of one media type.
func content(kind string, schema object) object { return object{kind: object{"schema": schema}} }

// ledgerParams describes what ledgerQuery reads.
func ledgerParams() []object {
	number := func(name, about string, least, most, otherwise uint64) object {
		return object{"name": name, "in": "query", "description": about, "schema": object{
			"type": "integer", "minimum": least, "maximum": most, "default": otherwise,
		}}
	}
	return []object{
		number("from", "Number of the first record.", 0, maxLedgerFrom, 0),
		number("limit", "Maximum number of records.", 1, maxLedgerLines, ledgerLines),
		{"name": "newest", "in": "query", "description": "The newest records, this many, in place of from and limit.", "schema": object{
			"type": "integer", "minimum": 1, "maximum": maxLedgerLines,
		}},
	}
}

// meaning returns what a status means in this API.
func meaning(status int) string {
	switch status {
	case 400:
		return "The body is not JSON."
	case 401:
		return "No token, or a wrong one."
	case 403:
		return "The token is good for less, the request comes from a web page, or the peer plays a simulated world and takes neither decisions nor rewards."
	case 404:
		return "No such decision; or nothing is inside, since the peer gives all decisions to its network."
	case 409:
		return "The id has another decision or reward already; nothing was changed."
	case 410:
		return "The time to report the reward is over, or the table is forgotten."
	case 413:
		return "The body is too large."
	case 415:
		return "The body is not application/json."
	case 422:
		return "A field is wrong; errors lists which."
	case 503:
		return "The peer is not ready, or it is shutting down; try again."
	case 507:
		return "The disk is full; nothing was stored."
	}
	return http.StatusText(status)
}
