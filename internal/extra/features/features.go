// Package features is the extra that decides by features of users and actions: the learners of package bandit/linear and
// the protocols of package protocol/batches, which carry what they add up.
package features

import (
	"peerd.dev/bandit"
	"peerd.dev/bandit/linear"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/table"
)

func init() {
	bandit.Register(
		linear.LinUCBParams{Features: 5, Map: bandit.Interactions, Index: linear.SampledIndex, Radius: 1, Records: linear.WithoutSquares},
		linear.PersonalizedLinearParams{Features: 5, Map: bandit.Interactions, Records: linear.WithoutSquares, Price: 150},
	)
	batch := batches.BatchParams{First: 50, Growth: .25, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 50, Draws: 5, Pull: 20}
	local := batch
	local.Hops, local.First, local.Growth = 2, 100, .5
	table.Register(2, batch)
	table.Register(3, local)
}
