package api

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestNoMetricCountsDecisions where their number is protected; else two metrics do.
func TestNoMetricCountsDecisions(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		m := newMetrics(Config{Backend: newFake(), HiddenCounts: hidden}, func(any) {})
		for _, route := range []string{"POST /v1/decisions", "POST /v1/decisions/batch"} {
			m.Observe(route, 200, 0)
			m.Item(route, 200)
		}
		m.Observe("GET /v1/status", 200, 0)
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		if got := w.Body.String(); strings.Contains(got, `/v1/decisions`) == hidden || strings.Contains(got, "peerd_api_decisions_total{") == hidden || !strings.Contains(got, `/v1/status`) {
			t.Errorf("hidden counts %v:\n%s", hidden, got)
		}
	}
}
