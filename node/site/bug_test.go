//go:build auditbug

package site

import (
	"slices"
	"testing"

	"peerd.dev/dp"
)

// TestSeededFaultsAreSeen: the comparison of histories finds each way in which a site could make
// its messages depend on a reward, and a round that continues after a claim.
func TestSeededFaultsAreSeen(t *testing.T) {
	defer func() { dp.Bug = "" }()
	for _, c := range []struct {
		bug                string
		application, world bool // in which the fault shows
	}{
		{"", false, false},
		{"early", true, false},
		{"later", true, false},
		{"quiet", true, true},
		{"slow", true, true},
		{"hasty", true, true},
		{"raw", true, true}, // choices, which the status counts
	} {
		for _, name := range slices.Concat(protocols(), byFeatures()) {
			for _, world := range []bool{false, true} {
				if world && slices.Contains(byFeatures(), name) {
					continue
				}
				dp.Bug = c.bug
				found := differences(t, usual(name, AtWindow), world, tales())
				want := !world && c.application || world && c.world
				if (len(found) > 0) != want {
					t.Errorf("%q, %s, world %v: seen %v, want %v\n%v", c.bug, name, world, len(found) > 0, want, found)
				}
			}
		}
	}
	for _, name := range protocols() {
		if dp.Bug = "again"; len(misnamed(t, name, 1)) == 0 {
			t.Errorf("%q, %s, is not seen", dp.Bug, name)
		}
		dp.Bug = "goes on"
		if afterAClaim(t, name, true) == "" {
			t.Errorf("%q, %s, is not seen", dp.Bug, name)
		}
	}
}
