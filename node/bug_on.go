//go:build auditbug

package node

import (
	"math"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
)

// bugBelief shows the learner the exact means.
func (a *Agent) bugBelief(b *bandit.Belief) *bandit.Belief {
	if dp.Bug != "raw" {
		return b
	}
	c := *b
	c.X, c.SampleVar, c.Own = slices.Clone(b.X), slices.Clone(b.SampleVar), slices.Clone(b.Own)
	none := make([]float64, len(b.X))
	c.LaplaceSumSq, c.LaplaceMax, c.GaussVar, c.Sites = none, none, none, make([][]belief.Site, len(b.Sites))
	for k := range c.SampleVar {
		sums, n, _ := a.curator.Raw(dp.StreamID(k))
		c.SampleVar[k] = math.Inf(1)
		if n > 0 {
			c.SampleVar[k] = 1 / float64(n)
		}
		if a.learner.Statistic().Kind != bandit.Sum {
			copy(c.X[k*len(sums):], sums)
			continue
		}
		c.X[k] = sums[0] / float64(max(n, 1))
		if len(c.Own) > 0 {
			c.Own[k] = c.X[k]
		}
	}
	return &c
}

// bugSilent reports whether all rewards since the last leaf are 0, for a fault that then sends
// nothing.
func (a *Agent) bugSilent() bool {
	if dp.Bug != "changed" || len(a.update) > 0 && a.update[0] != 0 {
		return false
	}
	for k := range a.closing.open {
		if _, _, open := a.curator.Raw(dp.StreamID(k)); open {
			return false
		}
	}
	return true
}

// bugObserved counts a choice that paid exactly 3/4 twice.
func (a *Agent) bugObserved(r Route, p bandit.Pull) {
	if dp.Bug == "twice" && p.Reward == .75 {
		_ = a.curator.Add(r.Stream, make([]float64, len(a.update)))
	}
}
