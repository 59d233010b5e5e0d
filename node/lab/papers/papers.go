// Package papers lists the protocols of papers that no site needs: with each of them one of package table has less regret.
package papers

import (
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
	"peerd.dev/protocol/epochs"
	"peerd.dev/protocol/shuffling"
	"peerd.dev/protocol/table"
)

// Protocols lists the protocols with their defaults. A protocol is here only when its conformance tests pass.
func Protocols() []protocol.Params {
	return []protocol.Params{
		averaging.AverageParams{Consistency: averaging.Capped, F: 1, Rate: .2, Patience: 8},
		averaging.ConsensusParams{Weights: averaging.Metropolis, Patience: 8},
		epochs.CoordinatorParams{Schedule: epochs.Doubling, Coordinator: 1, Epochs: 1000, Deadline: 50, Patience: 10, Participation: 1},
		epochs.GISParams{Epochs: 1 << 20, Patience: 4, Renew: 20, Participation: 1},
		epochs.SinkParams{Server: 1, Epochs: 1 << 20, Deadline: 50, Patience: 10},
		shuffling.Params{Every: 25, Shuffler: 1, Analyzer: 2, Sees: shuffling.Reports, Honest: 1, Least: 1, Deadline: 50, Pull: 20},
	}
}

// All lists the protocols of sites, and then these.
func All() []protocol.Params { return append(table.Protocols(), Protocols()...) }
