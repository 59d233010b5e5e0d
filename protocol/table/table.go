// Package table lists the protocols that a site speaks. Package node/lab/papers lists what only papers need.
package table

import (
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/rows"
)

// Protocols lists every protocol a peer can speak with its defaults, the default one first. A protocol is
// here only when its conformance tests pass.
func Protocols() []protocol.Params {
	return []protocol.Params{
		rows.PhasesParams{Growth: .5, Limit: 100_000, Pull: 20, Merge: rows.MergeMean, F: 1},
		rows.Params{Every: 20, Pull: 20, Merge: rows.MergeMean, F: 1},
		batches.BatchParams{First: 50, Growth: .25, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 50, Draws: 5, Pull: 20},
		batches.BatchParams{Hops: 2, First: 100, Growth: .5, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 50, Draws: 5, Pull: 20},
	}
}
