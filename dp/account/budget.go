package account

import (
	"fmt"
	"math"
)

// A Budget is what a node promises over its whole life: (ε, δ). With δ = 0 it pays only for pure
// losses; with an infinite ε it promises nothing and pays for everything.
type Budget struct {
	Epsilon Cost
	Delta   Delta
}

// Unlimited is the budget of worlds without people.
//
//nolint:gochecknoglobals // a constant
var Unlimited = Budget{Epsilon: Infinite}

// String names the budget.
func (b Budget) String() string {
	if b.Delta == 0 {
		return "epsilon " + b.Epsilon.String()
	}
	return fmt.Sprintf("epsilon %v with delta %v", b.Epsilon, b.Delta)
}

// Check refuses a budget out of range.
func (b Budget) Check() error {
	if b.Epsilon == Infinite && b.Delta == 0 {
		return nil
	}
	if _, err := pureEpsilon(b.Epsilon); err != nil {
		return err
	}
	if b.Delta == 0 {
		return nil
	}
	return probability(b.Delta.Float())
}

// Covers reports whether the budget pays for a loss.
func (b Budget) Covers(l Loss) (bool, error) {
	if err := b.Check(); err != nil {
		return false, err
	}
	if b.Epsilon == Infinite {
		return true, nil
	}
	if !l.Protects() {
		return false, nil
	}
	if err := l.Check(); err != nil {
		return false, err
	}
	return b.covers(l), nil
}

func (b Budget) covers(l Loss) bool {
	if l.Square == 0 && l.Pure <= b.Epsilon {
		return true
	}
	return b.Delta > 0 && l.deltaAt(b.Epsilon) <= b.Delta.Float()
}

// Releases returns how many more releases of a loss each the budget pays for, in sequence, after
// some of it is spent.
func (b Budget) Releases(spent, each Loss) (uint64, error) {
	if each == (Loss{}) || b.Epsilon == Infinite {
		return 0, fmt.Errorf("%w: releases without end", ErrRange)
	}
	if ok, err := b.Covers(spent); !ok || err != nil {
		return 0, err
	}
	if err := each.Check(); err != nil {
		return 0, err
	}
	pays := func(n uint64) bool {
		l, err := each.Times(n)
		if err != nil {
			return false
		}
		l, err = spent.Plus(l)
		return err == nil && b.covers(l)
	}
	yes, no := uint64(0), uint64(1)
	for pays(no) {
		yes, no = no, 2*no // ends because a budget is finite
	}
	for no-yes > 1 {
		if mid := yes + (no-yes)/2; pays(mid) {
			yes = mid
		} else {
			no = mid
		}
	}
	return yes, nil
}

// Used returns the least ε that covers a loss at the budget's δ.
func (b Budget) Used(l Loss) (float64, error) {
	switch {
	case !l.Protects():
		return math.Inf(1), nil
	case b.Delta == 0 && l.Square != 0:
		return math.Inf(1), nil
	case l.Square == 0:
		return l.Pure.Float(), nil
	}
	return l.Epsilon(b.Delta.Float())
}
