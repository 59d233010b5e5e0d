//go:build auditbug

package audit_test

import (
	"testing"

	"peerd.dev/dp"
	"peerd.dev/node/lab/audit"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// TestSeededBugsAreFoundWithFeatures builds faults into peers that choose by features. If choices
// depend on raw records, one record changes later ones, and with them the sum of a batch. A third
// of the audits is of protocol local, a third of peers with an analyzer that decide from a noised
// local sum.
func TestSeededBugsAreFoundWithFeatures(t *testing.T) {
	for _, bug := range []string{"halved", "reused", "first", "redrawn", "levels", "adjacency", "changed", "raw", "twice"} {
		t.Run(bug, func(t *testing.T) {
			dp.Bug = bug
			defer func() { dp.Bug = "" }()
			const n = 6
			caught, by := 0, map[string]int{}
			for seed := range uint64(n) {
				var params protocol.Params = batches.BatchParams{First: 10, Growth: .5, DecideFrom: batches.FromReleases, Pull: 25}
				switch seed % 3 {
				case 1:
					params = near(batches.LogDetSchedule)
				case 2:
					params = batches.BatchParams{First: 5, Growth: .5, DecideFrom: batches.FromNoisedLocal, Draws: 2, Analyzer: 3, Pull: 25}
				}
				r, err := audit.Run(t.Context(), described(dp.TreeGaussian, params, runs(), seed+1))
				if err != nil {
					t.Fatal(err)
				}
				if !r.Passed {
					caught++
				}
				for _, k := range kinds(r) {
					by[k]++
				}
			}
			t.Logf("%s: found in %d of %d audits; by %v", bug, caught, n, by)
			if caught < n {
				t.Errorf("found in %d of %d", caught, n)
			}
		})
	}
}
