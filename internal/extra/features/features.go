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
	table.Register(
		batches.BatchParams{First: 50, Growth: .25, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 50, Draws: 5, Pull: 20},
		batches.BatchParams{Hops: 2, First: 100, Growth: .5, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 50, Draws: 5, Pull: 20},
	)
}
