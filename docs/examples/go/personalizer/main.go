// Command personalizer serves applications of Azure Personalizer v1.0, a service that was discontinued: it answers that
// service's two requests, rank and reward, with the decisions of a peer (Azure/azure-rest-api-specs,
// Personalizer/stable/v1.0).
//
//	go run . -url http://127.0.0.1:8470 -token hospital-a/api.write.token -features 18
//
// It listens on a loopback address, or wherever -listen says; every client that reaches that address can ask. A rank is a decision
// whose id is the eventId.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"slices"
	"strings"
	"time"

	"peerd.dev/node/api/client"
)

// An adapter answers requests with the decisions of a peer.
type adapter struct {
	peer     *client.Client
	features int // learner.linucb.features of the peer; 0 with a learner that takes none
	context  int // learner.linucb.context

	apprentice bool // the application takes the first action on offer by itself, and the peer proposes: api.shadow
	sum        bool // rewards of an event add up: api.reward: sum
}

func main() {
	listen := flag.String("listen", "127.0.0.1:8480", "address of the adapter")
	url := flag.String("url", "", "the peer, such as http://127.0.0.1:8470")
	token := flag.String("token", "", "file of a token that may decide and report: api.write.token")
	features := flag.Int("features", 0, "learner.linucb.features of the peer; 0 with a learner that takes no features")
	shared := flag.Int("context", 0, "learner.linucb.context of the peer")
	apprentice := flag.Bool("apprentice", false, "apprentice mode, with api.shadow of the peer: the answer is the first action that is not excluded, and the peer learns from it or proposes")
	sum := flag.Bool("sum", false, "rewards of an event add up, with api.reward: sum of the peer")
	flag.Parse()
	peer, err := client.New(client.Options{URL: *url, TokenFile: *token})
	if err != nil {
		log.Fatal(err)
	}
	a := &adapter{peer: peer, features: *features, context: *shared, apprentice: *apprentice, sum: *sum}
	server := http.Server{Addr: *listen, Handler: a.routes(), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

func (a *adapter) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /personalizer/v1.0/rank", a.rank)
	mux.HandleFunc("POST /personalizer/v1.0/events/{eventId}/reward", a.reward)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "a peer has rank and events/{eventId}/reward. It has no activate, since every decision counts, shown or not; "+
			"no rank of several actions at once; and no configurations, model, logs or evaluations")
	})
	return mux
}

// The documents, with that service's names.
type (
	action struct {
		ID       string           `json:"id"`
		Features []map[string]any `json:"features"`
	}
	question struct {
		Actions  []action         `json:"actions"`
		Context  []map[string]any `json:"contextFeatures"`
		Excluded []string         `json:"excludedActions"`
		EventID  string           `json:"eventId"`
		Defer    bool             `json:"deferActivation"`
	}
	ranked struct {
		ID          string   `json:"id"`
		Probability *float64 `json:"probability,omitempty"` // absent where it is not known
	}
	ranking struct {
		Ranking  []ranked `json:"ranking"` // the chosen action, then the others as they came; excluded ones keep their places
		EventID  string   `json:"eventId"`
		ActionID string   `json:"rewardActionId"`
	}
)

func (a *adapter) rank(w http.ResponseWriter, r *http.Request) {
	var q question
	if !read(w, r, &q) {
		return
	}
	ask, err := a.ask(r.Context(), &q)
	if err != nil {
		refuse(w, err)
		return
	}
	ask.Subject = r.Header.Get("Peerd-Subject") // an addition to that service
	if ask.Taken = q.baseline(); !a.apprentice {
		ask.Taken = nil
	}
	d, err := a.peer.Decide(r.Context(), ask)
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusCreated, q.ranking(d))
}

// ask translates a question. A learner without features knows actions by the network's names, and those that are not
// offered are excluded; with features it knows them by these alone.
func (a *adapter) ask(ctx context.Context, q *question) (client.Ask, error) {
	ask := client.Ask{ID: q.EventID}
	if q.Defer {
		return ask, errors.New("deferActivation is not supported: every decision counts, shown or not; ask when its action is to be shown")
	}
	if a.features == 0 {
		arms, err := a.peer.Arms(ctx)
		for _, arm := range arms {
			offered := slices.ContainsFunc(q.Actions, func(x action) bool { return x.ID == arm.Name })
			if !arm.Retired && (!offered || slices.Contains(q.Excluded, arm.Name)) {
				ask.Exclude = append(ask.Exclude, arm.Name)
			}
		}
		for _, x := range q.Actions {
			if err == nil && !slices.ContainsFunc(arms, func(arm client.Arm) bool { return arm.Name == x.ID }) {
				err = fmt.Errorf("%q is no action of this network, whose learner takes no features", x.ID)
			}
		}
		return ask, err
	}
	situation, err := named(q.Context)
	if err != nil {
		return ask, fmt.Errorf("contextFeatures: %w", err)
	}
	if a.context > 0 { // the learner's map makes the products
		ask.Context, situation = sketch(situation, a.context), nil
	}
	for _, x := range q.Actions {
		of, err := named(x.Features)
		if err != nil {
			return ask, fmt.Errorf("features of %q: %w", x.ID, err)
		}
		if len(of) == 0 {
			of = identity(x.ID)
		}
		ask.Actions = append(ask.Actions, client.Action{ID: x.ID, Features: sketch(crossed(of, situation), a.features)})
		if slices.Contains(q.Excluded, x.ID) {
			ask.Exclude = append(ask.Exclude, x.ID)
		}
	}
	return ask, nil
}

// baseline returns what that service did in apprentice mode: the first action that is not excluded, with certainty.
func (q *question) baseline() *client.Taken {
	for _, x := range q.Actions {
		if !slices.Contains(q.Excluded, x.ID) {
			return &client.Taken{Action: x.ID, Propensity: 1}
		}
	}
	return nil
}

// ranking puts the chosen action first of those that are not excluded.
func (q *question) ranking(d client.Decision) ranking {
	order := []string{d.Action}
	for _, x := range q.Actions {
		if x.ID != d.Action && !slices.Contains(q.Excluded, x.ID) {
			order = append(order, x.ID)
		}
	}
	out, one, none := ranking{EventID: d.ID, ActionID: d.Action}, d.Propensity, 0.
	for _, x := range q.Actions {
		next := ranked{ID: x.ID, Probability: &none}
		if !slices.Contains(q.Excluded, x.ID) {
			next.ID, order = order[0], order[1:]
			switch {
			case d.Propensity == 0:
				next.Probability = nil // not computed
			case next.ID == d.Action:
				next.Probability = &one
			case d.Propensity < 1:
				next.Probability = nil
			}
		}
		out.Ranking = append(out.Ranking, next)
	}
	return out
}

func (a *adapter) reward(w http.ResponseWriter, r *http.Request) {
	var q struct{ Value *float64 }
	if !read(w, r, &q) {
		return
	}
	if q.Value == nil {
		fail(w, http.StatusBadRequest, "value: want a number")
		return
	}
	report := client.Reward{ID: r.PathValue("eventId"), Value: *q.Value}
	if a.sum { // that service took a repeated request for another reward; the header, an addition, makes it count once
		report.Report = cmp.Or(r.Header.Get("Peerd-Report"), rand.Text())
	}
	_, err := a.peer.Report(r.Context(), report)
	if p := new(client.Problem); errors.As(err, &p) && p.Status == http.StatusUnprocessableEntity && *q.Value >= -1 && *q.Value <= 1 {
		p.Detail += "; for rewards from -1 to 1 the network needs api.reward_range: [-1, 1], or else send (x+1)/2 in place of x"
	}
	if err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// read reads a document of at most 1 MiB, or answers that it cannot be read.
func read(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(into); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return false
	}
	return true
}

// refuse answers with a problem of the peer, or of the request. That service used status 400 for a wrong field.
func refuse(w http.ResponseWriter, err error) {
	p := new(client.Problem)
	switch {
	case errors.As(err, &p) && p.Status == http.StatusUnprocessableEntity:
		fail(w, http.StatusBadRequest, p.Detail)
	case errors.As(err, &p):
		fail(w, int(p.Status), p.Detail)
	case errors.Is(err, client.ErrUnreachable):
		fail(w, http.StatusServiceUnavailable, err.Error())
	default:
		fail(w, http.StatusBadRequest, err.Error())
	}
}

// fail answers in the form of that service, which had three codes.
func fail(w http.ResponseWriter, status int, message string) {
	code := "BadRequest"
	switch {
	case status == http.StatusNotFound:
		code = "ResourceNotFound"
	case status >= 500:
		code = "InternalServerError"
	}
	reply(w, status, map[string]any{"error": map[string]string{"code": code, "message": strings.TrimSpace(message)}})
}

func reply(w http.ResponseWriter, status int, doc any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(doc) // an error means that the application is gone
}
