//go:build auditbug

package audit

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"peerd.dev/dp"
)

// recordFaults lists the faults that are built into the curators of a mechanism.
func recordFaults(m dp.Mechanism) []string {
	all := []string{"halved", "reused", "first", "adjacency", "levels"}
	if m == dp.EachGaussian { // a record is in one leaf
		return all[:4]
	}
	return all
}

// Seeds returns how many audits of a bug have to find it.
func Seeds() int {
	if os.Getenv("PEERD_LONG") != "" {
		return 20
	}
	return 3
}

// TestSeededBugsAreFoundInRecords builds faults into the curators of linear records, and audits
// each over as many fixed seeds: all must fail.
func TestSeededBugsAreFoundInRecords(t *testing.T) {
	all := allRecords()
	for _, m := range dp.Mechanisms() {
		var replaced []records // which all faults are about
		for _, r := range all {
			if r.mechanism == m && r.adjacency == dp.ReplaceOne {
				replaced = append(replaced, r)
			}
		}
		if len(replaced) == 0 {
			continue
		}
		for _, bug := range recordFaults(m) {
			t.Run(fmt.Sprint(m, " ", bug), func(t *testing.T) {
				dp.Bug = bug
				defer func() { dp.Bug = "" }()
				caught, by := 0, map[string]int{}
				for seed := range uint64(Seeds()) {
					r := replaced[seed%uint64(len(replaced))]
					broken, _ := r.audit(t, recordRuns(), len(all), seed+1)
					if len(broken) > 0 {
						caught++
					}
					seen := map[string]bool{}
					for _, b := range broken {
						kind, _, _ := strings.Cut(b, ":")
						if !seen[kind] {
							by[kind]++
						}
						seen[kind] = true
					}
				}
				t.Logf("linear records, %v, %s: found in %d of %d audits; by %v", m, bug, caught, Seeds(), by)
				if caught < Seeds() {
					t.Errorf("found in %d of %d", caught, Seeds())
				}
			})
		}
	}
}
