package main

import (
	"os"
	"testing"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/sim"
)

// TestPhasesSendLittle: over 600,000 rounds a peer of protocol phases makes fewer than 100
// releases and sends less than 20 kB. PEERD_LONG plays 10 runs, and as many of the other protocols
// for comparison, with the figure's own instances.
func TestPhasesSendLittle(t *testing.T) {
	runs := uint64(1)
	cells := map[string][]string{"phases": nil}
	if os.Getenv("PEERD_LONG") != "" {
		runs = 10
		cells["rows"] = []string{"protocol.name=rows", "privacy.mechanism=kary"}
		cells["average"] = []string{"protocol.name=average", "privacy.mechanism=kary", "learner.name=ucb"}
	}
	for name, set := range cells {
		c := require.Value(plan.Schema().Load("../../configs/figures/phases.yaml", set))(t)
		var released, size, messages, regret, most float64
		for run := range runs {
			r := require.Value(sim.Run(simulated(t, &c.Settings, run+1)))(t)
			peers := float64(len(r.Pulls))
			released += float64(r.Released) / peers
			messages += float64(r.Messages) / peers
			size += float64(r.Bytes) / peers
			most = max(most, float64(r.Bytes)/peers)
			regret += r.Regret[len(r.Regret)-1]
		}
		n := float64(runs)
		t.Logf("%-8s %9.0f releases of a peer, %9.0f messages, %9.1f kB (at most %.1f kB), regret %.0f; means of %d runs",
			name, released/n, messages/n, size/n/1000, most/1000, regret/n, runs)
		if name == "phases" && (released/n >= 100 || size/n >= 20_000) {
			t.Errorf("%s: %.0f releases and %.0f bytes, want fewer than 100 and 20,000", name, released/n, size/n)
		}
	}
}
