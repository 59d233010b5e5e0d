//go:build auditbug

package audit_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/node/audit"
)

// faults lists those that are built into peers with a mechanism: faults of noise of either
// law and, with PEERD_LONG, of every mechanism.
func faults(m dp.Mechanism) []string {
	noise := []string{"halved", "reused", "first", "redrawn"}
	switch {
	case m == dp.Tree:
		return append(noise, "levels", "changed", "raw")
	case os.Getenv("PEERD_LONG") == "":
		if m == dp.TreeGaussian {
			return noise[:3]
		}
	case m == dp.TreeGaussian:
		return append(noise, "levels")
	case m != dp.None && m.Running():
		return noise
	}
	return nil
}

// TestSeededBugsAreFound builds one fault after another into the peers, which the audit
// does not know of, and audits them over 20 fixed seeds: at least 19 must fail.
func TestSeededBugsAreFound(t *testing.T) {
	for _, m := range dp.Mechanisms() {
		for _, bug := range faults(m) {
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
