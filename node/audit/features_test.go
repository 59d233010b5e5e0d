package audit_test

import (
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/audit"
	"peerd.dev/protocol"
)

// described is an audit of peers that choose by features.
func described(m dp.Mechanism, p protocol.BatchParams, runs int, seed uint64) audit.Config {
	c := config(p, m, runs, seed)
	for _, l := range bandit.Table() {
		if l.Contextual {
			c.Spec.Learner = l.Params
		}
	}
	return c
}

// TestFeaturesStayPrivate: peers that choose by features pass, with canaries whose features
// differ and lead to other arms; the farthest ones reach all that is charged.
func TestFeaturesStayPrivate(t *testing.T) {
	for _, m := range []dp.Mechanism{dp.TreeGaussian, dp.EachGaussian} {
		for _, growth := range []float64{0, .5} {
			r, err := audit.Run(t.Context(), described(m, protocol.BatchParams{First: 10, Growth: growth, Pull: 25}, audit.MinRuns, 3))
			if err != nil {
				t.Fatal(err)
			}
			if !r.Passed {
				t.Errorf("%v, growth %v: %v", m, growth, r.Broken)
			}
			for _, c := range r.Canaries {
				if c.Bound.Reach < .9*c.Bound.Charged && c.Name != "middle" && c.Name != "last" {
					t.Errorf("%v, growth %v: canary %s reaches %.3f of %.3f", m, growth, c.Name, c.Bound.Reach, c.Bound.Charged)
				}
			}
		}
	}
}
