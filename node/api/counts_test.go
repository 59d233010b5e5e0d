package api

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestNoMetricCountsDecisions if counts are noised; with public counts, two metrics do.
func TestNoMetricCountsDecisions(t *testing.T) {
	for _, noised := range []bool{false, true} {
		m := newMetrics(Config{Backend: newFake(), NoisedCounts: noised}, func(any) {})
		for _, route := range []string{"POST /v1/decisions", "POST /v1/decisions/batch"} {
			m.observe(route, 200, 0)
			m.item(route, 200)
		}
		m.observe("GET /v1/status", 200, 0)
		w := httptest.NewRecorder()
		m.handler.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		if got := w.Body.String(); strings.Contains(got, `/v1/decisions`) == noised || strings.Contains(got, "peerd_api_decisions_total{") == noised || !strings.Contains(got, `/v1/status`) {
			t.Errorf("noised counts %v:\n%s", noised, got)
		}
	}
}
