package api

import (
	"context"
	"net/http"

	"peerd.dev/docs"
	"peerd.dev/node/decision"
)

// A route is an operation of the API. docs/openapi.json describes it, and description_test.go writes that file.
type route struct {
	method, path string
	public       bool // needs no token
	local        bool // is answered over the socket only
	least        role // that it needs, whatever its method
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
	all := []route{
		{method: post, path: "/v1/decisions", handle: single(s, ask, b.Decide, showDecision)},
		{method: post, path: "/v1/decisions/batch", handle: batch(s, "decisions", ask, b.Decide, func(status int, d decision.Decision, p *Problem) decisionOutcomeBody {
			if p != nil {
				return decisionOutcomeBody{Status: status, Problem: p}
			}
			v := showDecision(d)
			return decisionOutcomeBody{Status: status, Decision: &v}
		})},
		{method: post, path: "/v1/rewards", handle: single(s, report, b.Reward, showReceipt)},
		{method: post, path: "/v1/rewards/batch", handle: batch(s, "rewards", report, b.Reward, func(status int, r decision.Receipt, p *Problem) receiptOutcomeBody {
			if p != nil {
				return receiptOutcomeBody{Status: status, Problem: p}
			}
			v := showReceipt(r)
			return receiptOutcomeBody{Status: status, Receipt: &v}
		})},
		{method: get, path: "/v1/status", handle: view(s, b.Status)},
		{method: get, path: "/v1/arms", handle: view(s, list(b.Arms))},
		{method: get, path: "/v1/peers", handle: view(s, list(b.Peers))},
		{method: get, path: "/v1/inside", least: writes, handle: view(s, b.Inside)},
		{method: get, path: "/v1/privacy", handle: view(s, b.Privacy)},
		{method: get, path: "/v1/network", handle: view(s, b.Network)},
		{method: get, path: "/v1/ledger", handle: s.ledger},
		{method: get, path: "/v1/backup", local: true, handle: s.backup},
		{method: post, path: "/v1/page-link", local: true, handle: s.pageLink},
		{method: get, path: "/healthz", public: true, handle: s.healthz},
		{method: get, path: "/readyz", public: true, handle: s.readyz},
	}
	if s.metrics != nil {
		all = append(all, route{method: get, path: "/metrics", handle: s.metrics.ServeHTTP})
	}
	for _, x := range s.c.Views {
		all = append(all, route{method: get, path: x.Path, local: x.Local, handle: view(s, x.Get)})
	}
	return all
}

// A View is an operation of an extra, which answers GET with a document.
type View struct {
	Path  string
	Local bool // is answered over the socket only
	Get   func(ctx context.Context) (any, error)
}

func showDecision(d decision.Decision) decisionBody { return decisionBody(d) }

func showReceipt(r decision.Receipt) receiptBody { return receiptBody(r) }

// routes puts the table into the mux.
func (s *Server) routes() {
	for _, r := range append(s.table(), route{method: get, path: "/openapi.json", handle: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.oai.openapi+json;version=3.1")
		_, _ = w.Write(docs.OpenAPI)
	}}) {
		pattern := r.method + " " + r.path
		s.public[r.path], s.local[r.path], s.least[r.path] = r.public, r.local, r.least
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
			out := w.(*responder) // of handler
			out.route, out.lost = pattern, false
			r.handle(w, req)
		})
	}
}
