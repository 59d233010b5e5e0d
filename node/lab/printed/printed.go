// Package printed holds what papers print and no network of people should use: learners whose
// formulas hold no promise, or none where people use them, and streams with other noise or bounds. The
// laboratory adds them to what the product has, to compare.
package printed

import "peerd.dev/bandit"

// Learners lists the learners with their defaults. A learner is here only when its conformance
// tests pass.
func Learners() []bandit.Params {
	return []bandit.Params{
		DPUCBParams{Decentralized, 2, .5},
		UCBParams{},
		EliminationParams{Length: 1},
		LinUCBParams{5, PrintedIndex, WithSquares},
	}
}
