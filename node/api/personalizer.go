package api

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// This part of the API has the form of Azure Personalizer v1.0, a service that was discontinued.
// Its applications can ask a peer instead (Azure/azure-rest-api-specs, Personalizer/stable/v1.0).
const (
	personalizer       = "/personalizer/"
	personalizerRank   = personalizer + "v1.0/rank"
	personalizerReward = personalizer + "v1.0/events/{eventId}/reward"

	subscriptionKey = "Ocp-Apim-Subscription-Key" // the header with the token
	subjectHeader   = "Peerd-Subject"             // an addition to that service
)

const notOfPersonalizer = "a peer has rank and events/{eventId}/reward of Personalizer v1.0. It has no activate, since every decision counts, " +
	"shown or not; no rank of several actions at once; and no configurations, model, logs or evaluations: docs/api.md says what takes their place"

// The bodies of requests and answers, with that service's names.
type (
	personalizerRankBody struct {
		Actions  []personalizerActionBody `json:"actions" minItems:"1" maxItems:"1000"`
		Context  []map[string]any         `json:"contextFeatures,omitempty" nullable:"true" maxItems:"1000" doc:"Features of the situation: objects of strings, numbers, booleans, lists of numbers, and objects of these. Features are private: they are never sent to another peer."`
		Excluded []string                 `json:"excludedActions,omitempty" nullable:"true" maxItems:"1000" doc:"Ids of actions that must not be chosen."`
		EventID  string                   `json:"eventId,omitempty" nullable:"true" minLength:"1" maxLength:"128" pattern:"^[A-Za-z0-9._:-]+$" doc:"Your id of the decision: a repeated request with the same id gets the same decision. Without it the peer makes one."`
		Defer    bool                     `json:"deferActivation,omitempty" nullable:"true" doc:"Only false: every decision counts, shown or not."`
	}

	personalizerActionBody struct {
		ID       string           `json:"id" minLength:"1" maxLength:"256" doc:"With a learner that takes no features, the name of an action of the network; with a contextual learner any id."`
		Features []map[string]any `json:"features,omitempty" nullable:"true" maxItems:"1000" doc:"As contextFeatures. An action without features is described by its id."`
	}

	personalizerRankingBody struct {
		Ranking  []personalizerRankedBody `json:"ranking" doc:"The chosen action first, then the others in the order of the request; excluded ones keep their places."`
		EventID  string                   `json:"eventId"`
		ActionID string                   `json:"rewardActionId" doc:"The chosen action."`
	}

	personalizerRankedBody struct {
		ID          string   `json:"id"`
		Probability *float64 `json:"probability,omitempty" minimum:"0" maximum:"1" doc:"Probability of the action, as propensity of a decision; absent where it is not known."`
	}

	personalizerRewardBody struct {
		Value float64 `json:"value" minimum:"0" maximum:"1"`
	}

	personalizerErrorBody struct {
		Error personalizerFaultBody `json:"error"`
	}

	personalizerFaultBody struct {
		Code    string                   `json:"code" enum:"BadRequest,ResourceNotFound,InternalServerError"`
		Message string                   `json:"message"`
		Target  string                   `json:"target,omitempty" doc:"The field that is wrong, the first one if there are several."`
		Details []personalizerDetailBody `json:"details,omitempty" doc:"All fields that are wrong, if there are several."`
		Inner   personalizerInnerBody    `json:"innerError"`
	}

	personalizerDetailBody struct {
		Code    string `json:"code" enum:"BadRequest"`
		Message string `json:"message"`
		Target  string `json:"target"`
	}

	personalizerInnerBody struct {
		Code string `json:"code" doc:"The code that a problem of this API would have; docs/api.md lists all codes."`
	}
)

func (s *Server) rankRoute() route {
	return route{
		method: post, path: personalizerRank, id: "personalizer-rank", summary: "Choose an action, as Azure Personalizer v1.0 did.",
		about: "The decision is durable when the answer is sent. A repeated request with the same eventId gets the same decision.",
		takes: reflect.TypeFor[personalizerRankBody](), gives: reflect.TypeFor[personalizerRankingBody](), done: http.StatusCreated,
		params: []object{{
			"name": subjectHeader, "in": "header", "description": "The person whom the decision is about, as subject of a decision; without it every decision counts as one about a person of its own.",
			"schema": object{"type": "string", "minLength": 1, "maxLength": decision.MaxSubject},
		}},
		fails: []int{400, 409, 413, 503, 507}, handle: s.body(s.rank),
	}
}

func (s *Server) rankRewardRoute() route {
	return route{
		method: post, path: personalizerReward, id: "personalizer-reward", summary: "Report a reward, as with Azure Personalizer v1.0.",
		about: "The reward is durable when the answer is sent. Reporting the same reward again changes nothing; another value is refused.",
		takes: reflect.TypeFor[personalizerRewardBody](), done: http.StatusNoContent,
		params: []object{{
			"name": "eventId", "in": "path", "required": true, "description": "Id of the decision.",
			"schema": object{"type": "string", "minLength": 1, "maxLength": decision.MaxID},
		}},
		fails: []int{400, 404, 409, 410, 413, 503, 507}, handle: s.body(s.rankReward),
	}
}

func (s *Server) rank(w http.ResponseWriter, r *http.Request, body []byte) {
	b := s.c.Backend
	q, err := decodeOne(body, func(in *scanner) ranked { return decodeRank(in, b.Actions(), b.Features()) })
	if subject := r.Header.Get(subjectHeader); subject != "" && len(q.flaws) == 0 {
		q.value.ask.Subject = subject
		if wrong := decision.WrongSubject(subject); wrong != "" {
			q.flaws = []Flaw{{"header." + subjectHeader, wrong}}
		}
	}
	d, ok := one(s, w, r, item[decision.Ask]{q.value.ask, q.flaws}, err, b.Decide)
	if !ok {
		return
	}
	if _, offered := q.value.places[d.Action]; !offered { // the network has added it since the request was read
		problem(http.StatusConflict, string(decision.Conflict), fmt.Sprintf("the decision of this id is %q, which is not offered: the network's actions have just changed; take another eventId", d.Action),
			Flaw{"body.eventId", "has a decision for an action that is not offered"}).write(w)
		return
	}
	s.reply(w, http.StatusCreated, q.value.ranking(d))
}

func (s *Server) rankReward(w http.ResponseWriter, r *http.Request, body []byte) {
	id := r.PathValue("eventId")
	q, err := decodeOne(body, func(in *scanner) (report decision.Report) {
		in.object(field{name: "value", need: true, read: func() {
			report = decision.Report{ID: id, Value: bandit.Reward(in.float(0, 1, "want a number from 0 to 1; of a reward x from -1 to 1 send (x+1)/2"))}
		}})
		return report
	})
	if wrong := decision.WrongID(id); wrong != "" {
		q.flaws = append(q.flaws, Flaw{"path.eventId", wrong})
	}
	if _, ok := one(s, w, r, q, err, s.c.Backend.Reward); ok {
		w.WriteHeader(http.StatusNoContent)
	}
}

// ranking is the answer to a request. Its chosen action is the first that is not excluded.
func (q *ranked) ranking(d decision.Decision) personalizerRankingBody {
	chosen := q.ids[q.places[d.Action]]
	others := slices.DeleteFunc(slices.Clone(q.ids), func(id string) bool { return id == chosen || slices.Contains(q.excluded, id) })
	order := append([]string{chosen}, others...)
	out := personalizerRankingBody{EventID: d.ID, ActionID: chosen}
	one, none := d.Propensity, 0.
	for _, id := range q.ids {
		a := personalizerRankedBody{ID: id}
		if slices.Contains(q.excluded, id) {
			a.Probability = &none
		} else {
			a.ID, order = order[0], order[1:]
			switch {
			case d.Propensity == 0: // not computed
			case a.ID == chosen:
				a.Probability = &one
			case d.Propensity == 1:
				a.Probability = &none
			}
		}
		out.Ranking = append(out.Ranking, a)
	}
	return out
}

// ofPersonalizer returns a problem in the form of that service, which used status 400 for a wrong
// field.
func (p *Problem) ofPersonalizer() (doc personalizerErrorBody, kind string, status int) {
	status = p.Status
	code := "BadRequest"
	switch {
	case status == http.StatusUnprocessableEntity, status == http.StatusUnsupportedMediaType:
		status = http.StatusBadRequest
	case status == http.StatusNotFound:
		code = "ResourceNotFound"
	case status >= 500:
		code = "InternalServerError"
	}
	fault := personalizerFaultBody{Code: code, Message: p.Detail, Inner: personalizerInnerBody{p.Code}}
	for _, flaw := range p.Errors {
		fault.Details = append(fault.Details, personalizerDetailBody{"BadRequest", flaw.Message, target(flaw.Location)})
	}
	if len(fault.Details) > 0 {
		fault.Target = fault.Details[0].Target
	}
	if len(fault.Details) == 1 {
		if message := fault.Details[0].Message; strings.HasSuffix(p.Detail, message) { // after the name of the field
			fault.Message = message
		}
		fault.Details = nil
	}
	return personalizerErrorBody{fault}, "application/json", status
}

// target is the name of a field in the form of that service.
func target(location string) string {
	name := strings.TrimPrefix(location, "body.")
	for ours, theirs := range map[string]string{"id": "eventId", "path.eventId": "eventId", "exclude": "excludedActions", "context": "contextFeatures", "subject": "header." + subjectHeader} {
		if name == ours || strings.HasPrefix(name, ours+"[") {
			return theirs
		}
	}
	return name
}
