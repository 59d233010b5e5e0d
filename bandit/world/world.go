// Package world is where rewards come from when no application is attached.
//
// The law of the package: a world shows a reward only as a [bandit.Reward] that
// Play returns, and whatever holds rewards prints as "private". What a world
// tells besides (Means, Left, Report) is for the referee who computes regret and
// for whoever prepares an experiment; a learner is never given it. A world has
// no clock and no files, and all its chance comes from the Rand it was given, so
// that the same seed is the same world.
package world

import (
	"errors"
	"fmt"

	"peerd.dev/bandit"
)

// ErrExhausted says that an arm of a [Replay] has handed out its last record.
// The other arms may have some left.
var ErrExhausted = errors.New("world: no record left")

// A World pays for arms, at one site.
type World interface {
	// Arms returns the number of arms, at least 1.
	Arms() int
	// Play pulls an arm. It fails for an arm that does not exist, and with
	// ErrExhausted for one that has nothing left.
	Play(a bandit.Arm) (bandit.Reward, error)
	// Means returns the expected reward of each arm at this site. It is the
	// caller's, and for the referee only.
	Means() []float64
}

// check returns an error unless a is one of n arms.
func check(a bandit.Arm, n int) error {
	if a < 0 || int(a) >= n {
		return fmt.Errorf("world: arm %d, want 0 to %d", a, n-1)
	}
	return nil
}
