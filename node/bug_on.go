//go:build auditbug

package node

import (
	"math"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp"
)

// bugBelief shows the learner the exact means.
func (a *Agent) bugBelief(b *bandit.Belief) *bandit.Belief {
	if dp.Bug != "raw" {
		return b
	}
	c := *b
	c.Mean, c.Spread = slices.Clone(b.Mean), slices.Clone(b.Spread)
	none := make([]float64, len(b.Mean))
	c.NoiseV, c.NoiseB, c.NoiseG = none, none, none
	for k := range c.Mean {
		mean, n, _ := a.door.Raw(dp.StreamID(k))
		c.Mean[k], c.Spread[k] = mean, math.Inf(1)
		if n > 0 {
			c.Spread[k] = 1 / float64(n)
		}
	}
	return &c
}

// bugSilent reports whether all rewards since the last leaf are 0, where nothing is
// sent that brings no news.
func (a *Agent) bugSilent() bool {
	if dp.Bug != "changed" || len(a.record) > 0 && a.record[0] != 0 {
		return false
	}
	parts, _ := a.learner.Shape()
	for k := range parts {
		if _, _, open := a.door.Raw(dp.StreamID(k)); open {
			return false
		}
	}
	return true
}
