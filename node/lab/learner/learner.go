// Package learner has the learners that papers compare with, and that no site needs: with each of them another learner of
// package bandit has less regret.
package learner

import "peerd.dev/bandit"

// Table lists the learners with their defaults. A learner is here only when its conformance tests pass.
func Table() []bandit.Params {
	return []bandit.Params{
		UCBParams{},
		KLUCBParams{TwoLog},
		EliminationParams{Length: 1},
	}
}

// All lists the learners of sites, and then these.
func All() []bandit.Params { return append(bandit.Table(), Table()...) }
