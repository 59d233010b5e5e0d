//go:build auditbug

package audit_test

import (
	"slices"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/node/audit"
)

// TestSeededBugsAreFound builds one fault after another into the peers, which the audit
// does not know of, and audits them over 20 fixed seeds: at least 19 must fail. Faults of
// noise are built into a mechanism of each law, and into one that draws no sums of spans.
func TestSeededBugsAreFound(t *testing.T) {
	noise := []string{"halved", "reused", "first", "redrawn"}
	for m, bugs := range map[dp.Mechanism][]string{
		dp.Tree:         append([]string{"changed", "raw", "levels"}, noise...),
		dp.TreeGaussian: append([]string{"levels"}, noise...),
		dp.Sqrt:         noise,
	} {
		for _, bug := range bugs {
			t.Run(m.String()+" "+bug, func(t *testing.T) {
				dp.Bug = bug
				defer func() { dp.Bug = "" }()
				caught, by := 0, map[string]int{}
				for seed := range uint64(20) {
					r := run(t, config(protocols()[seed%2], m, runs(), seed+1))
					if !r.Passed {
						caught++
					}
					for _, k := range kinds(r) {
						by[k]++
					}
				}
				t.Logf("%v, %s: found in %d of 20 audits; by %v", m, bug, caught, by)
				if caught < 19 {
					t.Errorf("found in %d of 20, want 19", caught)
				}
			})
		}
	}
}

// kinds returns by what kinds of questions something was found.
func kinds(r *audit.Report) (found []string) {
	for _, b := range r.Broken {
		k, _, _ := strings.Cut(b, ":")
		switch {
		case strings.HasPrefix(b, r.Measure+" is at least"):
			k = "bound"
		case !slices.ContainsFunc(r.Checks, func(c audit.Check) bool { return c.Name == k }):
			k = "noise"
		}
		if !slices.Contains(found, k) {
			found = append(found, k)
		}
	}
	return found
}
