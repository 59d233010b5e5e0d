// Package printed holds what papers print and no network of people should use: learners whose
// formulas hold no promise, or none where people use them, streams with other noise or bounds, choices and messages
// that follow from raw records, and protocols with parts that only a proof needs. The laboratory adds them to what
// the product has, to compare.
package printed

import (
	"peerd.dev/bandit"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// Learners lists the learners with their defaults. A learner is here only when its conformance
// tests pass.
func Learners() []bandit.Params {
	return []bandit.Params{
		DPUCBParams{Decentralized, 2, .5},
		UCBParams{},
		EliminationParams{Length: 1},
		LinUCBParams{5, PrintedIndex, WithSquares},
		PersonalizedParams{Hierarchical, .1},
	}
}

// Protocols lists the protocols with their defaults. A protocol is here only when its conformance tests pass.
func Protocols() []protocol.Params {
	return []protocol.Params{
		LocalParams{Hops: 2, Neighbourhood: Clique, Estimators: SplitEstimators, First: 25, Schedule: batches.FixedSchedule, Threshold: 50, Pull: 20},
	}
}
