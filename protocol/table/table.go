// Package table lists the protocols of this module.
package table

import (
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/epochs"
	"peerd.dev/protocol/rows"
)

// Protocols lists every protocol a peer can speak with its defaults, the default one first. A protocol is
// here only when its conformance tests pass.
func Protocols() []protocol.Params {
	return []protocol.Params{
		rows.PhasesParams{Growth: .5, Limit: 100_000, Pull: 20, Merge: rows.MergeMean, F: 1},
		averaging.AverageParams{Consistency: averaging.Capped, F: 1, Rate: .2, Patience: 8},
		rows.Params{Every: 20, Pull: 20, Merge: rows.MergeMean, F: 1},
		averaging.ConsensusParams{Weights: averaging.Metropolis, Patience: 8},
		epochs.CoordinatorParams{Schedule: epochs.Doubling, Coordinator: 1, Epochs: 1000, Deadline: 50, Patience: 10, Participation: 1},
		epochs.GISParams{Epochs: 1 << 20, Patience: 4, Renew: 20, Participation: 1},
		epochs.SinkParams{Server: 1, Epochs: 1 << 20, Deadline: 50, Patience: 10},
		batches.BatchParams{First: 50, Growth: .25, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 50, Draws: 5, Pull: 20},
		batches.BatchParams{Hops: 2, First: 100, Growth: .5, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 50, Draws: 5, Pull: 20},
	}
}
