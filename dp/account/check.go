package account

import (
	"errors"
	"fmt"
)

// ErrRange is wrapped by the errors of this package: a number out of range.
var ErrRange = errors.New("account: out of range")

// Limits of arguments. The greatest μ² fits in a [Square].
const (
	maxEpsilon = 1e9
	maxMu      = 1e5
	minMu      = 1e-9
	maxSigma   = 1e300
)

// within refuses NaN and numbers outside of [lo, hi].
func within(what string, x, lo, hi float64) error {
	if lo <= x && x <= hi {
		return nil
	}
	return fmt.Errorf("%w: %s %v, want a number from %v to %v", ErrRange, what, x, lo, hi)
}

// probability refuses numbers outside of (0, 1).
func probability(delta float64) error {
	if 0 < delta && delta < 1 {
		return nil
	}
	return fmt.Errorf("%w: delta %v, want a number between 0 and 1", ErrRange, delta)
}
