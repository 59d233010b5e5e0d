//go:build auditbug

package audit_test

import (
	"testing"

	"peerd.dev/dp"
	"peerd.dev/node/audit"
	"peerd.dev/protocol"
)

// TestSeededBugsAreFoundWithFeatures builds faults into peers that choose by features. Where
// choices follow from raw records, one record changes later ones, and with them the sum of a
// batch.
func TestSeededBugsAreFoundWithFeatures(t *testing.T) {
	for _, bug := range []string{"halved", "reused", "first", "redrawn", "levels", "adjacency", "changed", "raw", "twice"} {
		t.Run(bug, func(t *testing.T) {
			dp.Bug = bug
			defer func() { dp.Bug = "" }()
			const n = 5
			caught, by := 0, map[string]int{}
			for seed := range uint64(n) {
				r, err := audit.Run(t.Context(), described(dp.TreeGaussian, protocol.BatchParams{First: 10, Growth: .5, DecideFrom: protocol.FromReleases, Pull: 25}, runs(), seed+1))
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
