//go:build auditbug

package audit_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/node/lab/audit"
)

// faults lists the faults that are built into peers with a mechanism: all of them for a tree or
// single leaves and, with PEERD_LONG, for every mechanism; otherwise the noise of the other
// distribution, and what differs if nodes share noise.
func faults(m dp.Mechanism) []string {
	all := []string{"halved", "reused", "first", "redrawn", "levels", "changed", "raw", "twice"}
	long := os.Getenv("PEERD_LONG") != ""
	switch {
	case m == dp.None:
		return nil // promises nothing
	case !m.Running() && (long || m == dp.EachLaplace): // there are no levels
		return slices.DeleteFunc(all, func(bug string) bool { return bug == "levels" })
	case m == dp.Tree || long:
		return all
	case m == dp.TreeGaussian || m == dp.EachGaussian:
		return all[:3]
	case m == dp.Kary:
		return []string{"levels"}
	}
	return nil
}

// TestSeededBugsAreFound builds one fault after another into the peers, which the audit does not
// know of, and audits them over 3 fixed seeds, or 20 with PEERD_LONG: all audits must fail.
func TestSeededBugsAreFound(t *testing.T) {
	for _, m := range dp.Mechanisms() {
		for _, bug := range faults(m) {
			t.Run(m.String()+" "+bug, func(t *testing.T) {
				dp.Bug = bug
				defer func() { dp.Bug = "" }()
				caught, by := 0, map[string]int{}
				for _, r := range audits(t, m, uint64(audit.Seeds())) {
					if !r.Passed {
						caught++
					}
					for _, k := range kinds(r) {
						by[k]++
					}
				}
				t.Logf("%v, %s: found in %d of %d audits; by %v", m, bug, caught, audit.Seeds(), by)
				if caught < audit.Seeds() {
					t.Errorf("found in %d of %d", caught, audit.Seeds())
				}
			})
		}
	}
}

// kinds returns the kinds of checks that found something.
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
