package api

import (
	"context"
	"net/http"
	"reflect"

	"peerd.dev/node/decision"
)

// A route is an operation of the API: its description and its handler.
type route struct {
	method, path string
	id           string // for generated programs
	summary      string
	about        string
	public       bool         // needs no token
	local        bool         // is answered over the socket only
	takes        reflect.Type // of the body; nil for none
	params       []object     // of the path and the query
	gives        reflect.Type // nil for text of another kind
	kind         string       // of text
	fails        []int        // statuses of problems, in addition to those that all routes share
	done         int          // status of an answer; 0 stands for 200
	handle       http.HandlerFunc
}

const (
	get  = http.MethodGet
	post = http.MethodPost
)

// table lists the routes.
func (s *Server) table() []route {
	b := s.c.Backend
	ask := func(in *scanner) decision.Ask { return decodeAsk(in, b.Features()) }
	report := reader(b.Range())
	asked := []int{400, 413, 415, 422, 507, 503}
	return []route{
		{
			method: post, path: "/v1/decisions", id: "decide", summary: "Choose an action.",
			about: "The decision is durable when the answer is sent. A repeated request with the same id gets the same decision.",
			takes: reflect.TypeFor[askBody](), gives: reflect.TypeFor[decisionBody](), fails: append([]int{409, 410, 403}, asked...),
			handle: single(s, ask, b.Decide, showDecision),
		},
		{
			method: post, path: "/v1/decisions/batch", id: "decide-batch", summary: "Choose actions for a batch.",
			about: "Every item gets the status and the decision or problem that it would have had as a request of its own. A problem with the whole batch means that nothing was stored.",
			takes: reflect.TypeFor[askBatchBody](), gives: reflect.TypeFor[decisionBatchBody](), fails: []int{400, 413, 415, 422},
			handle: batch(s, "decisions", ask, b.Decide, func(status int, d decision.Decision, p *Problem) decisionOutcomeBody {
				if p != nil {
					return decisionOutcomeBody{Status: status, Problem: p}
				}
				v := showDecision(d)
				return decisionOutcomeBody{Status: status, Decision: &v}
			}),
		},
		{
			method: post, path: "/v1/rewards", id: "reward", summary: "Report a reward.",
			about: "The reward is durable when the answer is sent. Reporting the same reward again changes nothing and is answered as a duplicate; another value is refused.",
			takes: reflect.TypeFor[rewardBody](), gives: reflect.TypeFor[receiptBody](), fails: append([]int{403, 404, 409, 410}, asked...),
			handle: single(s, report, b.Reward, showReceipt),
		},
		{
			method: post, path: "/v1/rewards/batch", id: "reward-batch", summary: "Report a batch of rewards.",
			about: "Every item gets the status and the receipt or problem that it would have had as a request of its own. A problem with the whole batch means that nothing was stored.",
			takes: reflect.TypeFor[rewardBatchBody](), gives: reflect.TypeFor[receiptBatchBody](), fails: []int{400, 413, 415, 422},
			handle: batch(s, "rewards", report, b.Reward, func(status int, r decision.Receipt, p *Problem) receiptOutcomeBody {
				if p != nil {
					return receiptOutcomeBody{Status: status, Problem: p}
				}
				v := showReceipt(r)
				return receiptOutcomeBody{Status: status, Receipt: &v}
			}),
		},
		{
			method: get, path: "/v1/table", id: "table", summary: "How likely each action is, to draw from while the peer is down.",
			about: "The same table is served for ten seconds at least. It is durable when the answer is sent. Refused with a learner by features and in shadow mode.",
			gives: reflect.TypeFor[tableBody](), fails: []int{422, 503, 507}, handle: view(s, func(ctx context.Context) (tableBody, error) {
				t, err := b.Table(ctx)
				return showTable(t), err
			}),
		},
		{
			method: get, path: "/v1/status", id: "status", summary: "State of the peer.",
			gives: reflect.TypeFor[Status](), fails: []int{503}, handle: view(s, b.Status),
		},
		{
			method: get, path: "/v1/arms", id: "arms", summary: "What is known about every action.",
			gives: reflect.TypeFor[[]Arm](), fails: []int{503}, handle: view(s, list(b.Arms)),
		},
		{
			method: get, path: "/v1/peers", id: "peers", summary: "Links to the other peers.",
			gives: reflect.TypeFor[[]Peer](), fails: []int{503}, handle: view(s, list(b.Peers)),
		},
		{
			method: get, path: "/v1/privacy", id: "privacy", summary: "What the peer promises its users.",
			about: "It follows from the configuration and the network's document. peerd privacy explain prints the same page.",
			gives: reflect.TypeFor[Privacy](), fails: []int{503}, handle: view(s, b.Privacy),
		},
		{
			method: get, path: "/v1/network", id: "network", summary: "The network as its document describes it.",
			gives: reflect.TypeFor[Network](), fails: []int{503}, handle: view(s, b.Network),
		},
		{
			method: get, path: "/v1/ledger", id: "ledger", summary: "Everything that this peer released, and what it was charged.",
			about:  "Lines of the ledger as they are in its file. If the rest cannot be read, the connection breaks before the end of the answer.",
			params: ledgerParams(), kind: "application/x-ndjson", fails: []int{422, 503}, handle: s.ledger,
		},
		{
			method: get, path: "/v1/receipts", id: "receipts", summary: "What peers have signed about ledgers, for an auditor.", local: true,
			about: "The peer first asks its neighbours for new receipts, at most once in ten seconds. Over the unix socket only.",
			gives: reflect.TypeFor[LedgerReceipts](), fails: []int{503}, handle: view(s, b.Receipts),
		},
		{
			method: get, path: "/v1/backup", id: "backup", summary: "The peer's folder, with its key and raw rewards.", local: true,
			about: "A compressed archive (tar, gzip) of what a restored folder needs, as it is now, while the peer goes on. Over the unix socket only. If the rest cannot be read, the connection breaks before the end of the answer.",
			kind:  "application/gzip", fails: []int{503}, handle: s.backup,
		},
		{
			method: post, path: "/v1/page-link", id: "page-link", summary: "A link that opens the page for people.", local: true,
			about: "It works once, within a minute, and opens the page for 12 hours or until the peer restarts. Over the unix socket only.",
			gives: reflect.TypeFor[PageLink](), fails: []int{409}, handle: s.pageLink,
		},
		{
			method: get, path: "/metrics", id: "metrics", summary: "Metrics for Prometheus.",
			about: "No metric is computed from rewards, not even from noised ones.",
			kind:  "text/plain", handle: s.metrics.handler.ServeHTTP,
		},
		{
			method: get, path: "/healthz", id: "healthz", summary: "Whether the process is alive.", public: true,
			gives: reflect.TypeFor[healthBody](), handle: s.healthz,
		},
		{
			method: get, path: "/readyz", id: "readyz", summary: "Whether the peer decides and releases.", public: true,
			gives: reflect.TypeFor[readyBody](), fails: []int{503}, handle: s.readyz,
		},
	}
}

func showDecision(d decision.Decision) decisionBody { return decisionBody(d) }

func showTable(t decision.Table) tableBody {
	b := tableBody{Version: t.Version, Model: t.Model, Salt: t.Salt, Actions: make([]weightBody, 0, len(t.Actions)), MadeAt: t.MadeAt}
	for _, a := range t.Actions {
		b.Actions = append(b.Actions, weightBody(a))
	}
	return b
}

func showReceipt(r decision.Receipt) receiptBody { return receiptBody(r) }

// routes puts the table into the mux.
func (s *Server) routes() error {
	all := s.table()
	doc, err := spec(all)
	if err != nil {
		return err
	}
	all = append(all, route{method: get, path: "/openapi.json", handle: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.oai.openapi+json;version=3.1")
		_, _ = w.Write(doc)
	}})
	for _, r := range all {
		pattern := r.method + " " + r.path
		s.public[r.path], s.local[r.path] = r.public, r.local
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
			out := w.(*responder) // of handler
			out.route, out.lost = pattern, false
			r.handle(w, req)
		})
	}
	return nil
}
