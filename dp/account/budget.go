package account

import (
	"fmt"

	"peerd.dev/dp"
)

// A Budget is what a node promises over its whole life: (ε, δ). With δ = 0 it pays for
// pure losses only.
type Budget struct {
	Epsilon dp.Cost
	Delta   float64
}

// Check refuses a budget that promises nothing.
func (b Budget) Check() error {
	if _, err := pureEpsilon(b.Epsilon); err != nil {
		return err
	}
	if b.Delta == 0 {
		return nil
	}
	return probability(b.Delta)
}

// Covers reports whether the budget pays for a loss.
func (b Budget) Covers(l Loss) (bool, error) {
	if err := b.Check(); err != nil {
		return false, err
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
	return b.Delta > 0 && l.delta(b.Epsilon.Float()) <= b.Delta
}

// Releases returns how many more releases of a loss each the budget pays for, one after
// another, when some of it is spent.
func (b Budget) Releases(spent, each Loss) (uint64, error) {
	if each == (Loss{}) {
		return 0, fmt.Errorf("%w: a release that costs nothing", ErrRange)
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
		yes, no = no, 2*no // ends: a budget is finite
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

// Left returns what the budget still pays for: so much of a pure loss, or instead so
// much of a Gaussian one.
func (b Budget) Left(spent Loss) (pure dp.Cost, square Square, err error) {
	p, err := b.Releases(spent, Loss{Pure: 1})
	if err != nil {
		return 0, 0, err
	}
	s, err := b.Releases(spent, Loss{Square: 1})
	return dp.Cost(p), Square(s), err
}
