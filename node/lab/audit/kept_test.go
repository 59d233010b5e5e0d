package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/linear"
	"peerd.dev/dp"
	"peerd.dev/node"
	"peerd.dev/node/lab/audit"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// TestKeptDecisionsStay: peers that keep decisions pass, and kept ones are compared byte for byte.
func TestKeptDecisionsStay(t *testing.T) {
	for seed := range seeds() {
		t.Run(fmt.Sprintf("seed=%d", seed+1), func(t *testing.T) { auditKept(t, seed+1) })
	}
}

func auditKept(t *testing.T, seed uint64) {
	t.Helper()
	linear := bandit.Small(linear.PersonalizedLinearParams{Features: 5, Map: bandit.Interactions, Records: linear.WithoutSquares, Price: 150})
	for _, x := range []struct {
		give node.Give
		m    dp.Mechanism
		l    bandit.Params
		p    protocol.Params
	}{
		{node.GiveFew, dp.EachLaplace, bandit.PersonalizedParams{Price: 20}, batchParams()},
		{node.GiveFew, dp.EachGaussian, linear, batches.BatchParams{First: 10, Growth: 1, DecideFrom: batches.FromReleases, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}},
		{node.GiveNone, dp.Tree, bandit.PersonalizedParams{Price: 20}, running.Params{Every: 50, Pull: 25, Merge: rows.MergeMean, F: 1}},
	} {
		c := config(x.p, x.m, audit.MinRuns, seed)
		c.Spec.Give, c.Spec.Learner, c.Spec.Sites = x.give, x.l, 20
		if noised, ok := x.p.(running.Params); ok {
			c.Spec.Privacy.Adjacency, c.Spec.Protocol = dp.AddOrRemove, noised
		}
		r, err := audit.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Passed {
			t.Errorf("%s, %T: %v", x.give, x.p, r.Broken)
		}
		for _, name := range []string{"twin", "restart", "kept"} {
			if !slices.ContainsFunc(r.Checks, func(c audit.Check) bool { return c.Name == name && c.Asked > 0 }) {
				t.Errorf("%s, %T: %s was not asked", x.give, x.p, name)
			}
		}
	}
}
