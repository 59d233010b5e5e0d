package client_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"peerd.dev/node/api/client"
)

const slow = 10 * time.Second // delay of an answer that is never abandoned

// fake is a peer that keeps decisions and rewards by id as peerd does, and loses, delays or
// refuses requests according to a plan.
type fake struct {
	url string

	mu        sync.Mutex
	plan      []string            // for the next requests, then "ok": drop, lose, half, text, or a status
	slow      map[string]bool     // ids whose first answer comes after its try is abandoned
	items     map[string][]string // statuses that items of batches get first, by id
	decisions map[string]client.Decision
	rewards   map[string]float64
	asked     []string // ids, or paths, in order
	keys      []string // Authorization headers

	swap   bool                     // draws have another action than the client's
	dead   bool                     // nothing is answered
	table  *client.Table            // the newest; asking for it is neither planned nor in asked
	tables map[string]*client.Table // those that are not forgotten
}

// offer makes the newest table.
func (f *fake) offer(version string, weights ...int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.table = &client.Table{Version: version, Model: "1-2-3", Salt: "s" + version, MadeAt: time.Unix(1e9, 0).UTC()}
	for i, w := range weights {
		f.table.Actions = append(f.table.Actions, client.Weight{Name: []string{"mail", "banner", "call"}[i], Weight: w})
	}
	f.tables[version] = f.table
}

// die makes the peer answer nothing, or again.
func (f *fake) die(dead bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = dead
}

func newFake(t testing.TB, socket string) *fake {
	f := &fake{items: make(map[string][]string), decisions: make(map[string]client.Decision), rewards: make(map[string]float64), tables: make(map[string]*client.Table)}
	s := httptest.NewUnstartedServer(f)
	if socket != "" {
		l, err := net.Listen("unix", filepath.Join(socket, "peerd.sock"))
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Listener.Close()
		s.Listener = l
	}
	s.Start()
	t.Cleanup(s.Close)
	f.url = s.URL
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		client.Ask
		Value     float64
		Decisions []client.Ask
		Rewards   []client.Reward
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	f.mu.Lock()
	if f.dead {
		f.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	if r.URL.Path == "/v1/table" {
		defer f.mu.Unlock()
		if f.table == nil {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = json.NewEncoder(w).Encode(wrong(http.StatusUnprocessableEntity))
			return
		}
		_ = json.NewEncoder(w).Encode(f.table)
		return
	}
	step := "ok"
	if len(f.plan) > 0 {
		step, f.plan = f.plan[0], f.plan[1:]
	}
	if f.slow[body.ID] { // by id: a try that was abandoned may be read after later ones
		step = "slow"
		delete(f.slow, body.ID)
	}
	f.keys = append(f.keys, r.Header.Get("Authorization"))
	var status int
	var doc any
	if n, err := strconv.Atoi(step); err == nil {
		f.asked = append(f.asked, body.ID)
		status, doc = n, wrong(n)
	} else if step == "drop" {
		f.asked = append(f.asked, body.ID)
	} else {
		switch r.URL.Path {
		case "/v1/decisions", "/v1/rewards":
			f.asked = append(f.asked, body.ID)
			status, doc = f.one(r.URL.Path, body.Ask, body.Value)
		case "/v1/decisions/batch":
			var all client.DecisionBatch
			for _, a := range body.Decisions {
				f.asked = append(f.asked, a.ID)
				o := client.DecisionOutcome{}
				s, d := f.one("/v1/decisions", a, 0)
				o.Status = int64(s)
				switch d := d.(type) {
				case client.Decision:
					o.Decision = &d
				case *client.Problem:
					o.Problem = d
				}
				all.Outcomes = append(all.Outcomes, o)
			}
			status, doc = 200, all
		case "/v1/rewards/batch":
			var all client.ReceiptBatch
			for _, a := range body.Rewards {
				f.asked = append(f.asked, a.ID)
				s, d := f.one("/v1/rewards", client.Ask{ID: a.ID}, a.Value)
				o := client.ReceiptOutcome{Status: int64(s)}
				switch d := d.(type) {
				case client.Receipt:
					o.Receipt = &d
				case *client.Problem:
					o.Problem = d
				}
				all.Outcomes = append(all.Outcomes, o)
			}
			status, doc = 200, all
		case "/v1/arms":
			status, doc = 200, []client.Arm{{Name: "mail", Estimate: .5}}
		case "/v1/peers":
			status, doc = 200, []client.Peer{{Name: "b"}}
		case "/v1/status":
			status, doc = 200, client.Status{Name: "a", Round: 7}
		}
	}
	f.mu.Unlock()
	switch step {
	case "drop", "lose":
		panic(http.ErrAbortHandler)
	case "slow":
		select {
		case <-r.Context().Done():
		case <-time.After(slow):
		}
	case "text":
		http.Error(w, "too many hosts", 400)
		return
	case "half":
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"id":`))
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(doc)
}

// one returns the status and document of a decision or a reward.
func (f *fake) one(path string, ask client.Ask, value float64) (int, any) {
	id := ask.ID
	if all := f.items[id]; len(all) > 0 {
		f.items[id] = all[1:]
		n, _ := strconv.Atoi(all[0])
		return n, wrong(n)
	}
	if path == "/v1/decisions" {
		old, known := f.decisions[id]
		d := client.Decision{ID: id, Action: "mail", Propensity: .5, Source: "learned", Model: "1-1-1", Counted: true, Kept: ask.Keep, ExpiresAt: time.Unix(1e9, 0).UTC()}
		if ask.Table != "" {
			table := f.tables[ask.Table]
			switch {
			case table == nil:
				return 410, wrong(410)
			case known && old.Source != client.Drawn:
				return 409, wrong(409)
			}
			d.Action, d.Propensity = table.Draws(id, ask.Exclude, ask.Actions)
			d.Source = client.Drawn
			if f.swap {
				d.Propensity /= 2
			}
		}
		if known {
			d = old
		}
		f.decisions[id] = d
		d.Repeated = known
		return 200, d
	}
	old, known := f.rewards[id]
	if _, decided := f.decisions[id]; f.table != nil && !decided {
		return 404, wrong(404)
	}
	if known && old != value {
		return 409, wrong(409)
	}
	f.rewards[id] = value
	return 200, client.Receipt{ID: id, Counted: true, Duplicate: known}
}

func wrong(status int) *client.Problem {
	code := map[int]string{401: "unauthorized", 404: "unknown", 409: "conflict", 410: "expired", 422: "invalid"}[status]
	if code == "" {
		code = "internal"
	}
	return &client.Problem{Title: http.StatusText(status), Status: int64(status), Code: code, Detail: "it is wrong", Errors: []client.Flaw{{Location: "body.value", Message: "is wrong"}}}
}

// do sets the plan for the next requests, and forgets earlier requests.
func (f *fake) do(plan string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked, f.keys, f.plan = nil, nil, strings.Fields(plan)
}

// rewarded returns the reward of a decision.
func (f *fake) rewarded(id string) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rewards[id]
}

func (f *fake) ids() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.asked, " ")
}
