package audit_test

import (
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/lab/audit"
	"peerd.dev/node/lab/learner"
	"peerd.dev/protocol/rows"
)

// TestPublicVectorsLeaveRewardsPrivate: peers that choose by public vectors, and play one arm
// until its batch is full, show no more of a record than is charged for its reward.
func TestPublicVectorsLeaveRewardsPrivate(t *testing.T) {
	for _, m := range []dp.Mechanism{dp.EachLaplace, dp.EachGaussian} {
		p := rows.PhasesParams{First: 10, Growth: .5, OneArm: true, Limit: 200, Pull: 25, Merge: rows.MergeMean}
		c := config(p, m, audit.MinRuns, 3)
		c.Spec.Learner = learner.LinTSParams{Radius: 1}
		c.Spec.Vectors = [][]bandit.Features{{{1, 0}, {.6, .8}, {0, 1}}, {{.8, .6}, {0, 1}, {1, 0}}}
		r, err := audit.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Passed {
			t.Errorf("%v: %v", m, r.Broken)
		}
		for _, c := range r.Canaries {
			if c.Bound.Reach < .9*c.Bound.Charged && c.Name != "middle" && c.Name != "last" {
				t.Errorf("%v: canary %s reaches %.3f of %.3f", m, c.Name, c.Bound.Reach, c.Bound.Charged)
			}
		}
	}
}
