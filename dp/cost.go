package dp

import (
	"fmt"
	"math"
	"strconv"
)

// Cost is a privacy loss in nano-ε (1e-9), an integer, so that sums are exact.
// All mechanisms of this version are pure: δ = 0.
type Cost uint64

// Infinite is the cost of a release without noise. Only an infinite budget pays
// it, and only lockstep and the simulator may have one.
const Infinite Cost = math.MaxUint64

// Nano is the number of Cost units in ε = 1.
const Nano = 1_000_000_000

// Epsilon returns the Cost of eps, rounded down: a budget is never larger than
// what was asked for. It refuses NaN, negative numbers and more than 1e9;
// +Inf is [Infinite].
func Epsilon(eps float64) (Cost, error) {
	if math.IsInf(eps, 1) {
		return Infinite, nil
	}
	if math.IsNaN(eps) || eps < 0 || eps > Nano {
		return 0, fmt.Errorf("dp: epsilon %v, want a number from 0 to 1e9 or inf", eps)
	}
	return Cost(eps * Nano), nil
}

// Float returns ε.
func (c Cost) Float() float64 {
	if c == Infinite {
		return math.Inf(1)
	}
	return float64(c) / Nano
}

// String returns ε in decimal.
func (c Cost) String() string {
	if c == Infinite {
		return "inf"
	}
	return strconv.FormatFloat(c.Float(), 'g', -1, 64)
}

// A BudgetError says that a charge does not fit what is left. Nothing was
// charged.
type BudgetError struct {
	What        string
	Asked, Left Cost
}

// Error names both numbers.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("dp: %s costs epsilon %v but only %v is left", e.What, e.Asked, e.Left)
}
