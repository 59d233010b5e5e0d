package account

import (
	"fmt"
	"math"
	"strconv"
)

// Cost is a pure privacy loss in nano-ε (1e-9), an integer, so that sums are exact.
type Cost uint64

// Infinite is the cost of a release without noise. Only an infinite budget pays it, and only
// lockstep and the simulator may have one.
const Infinite Cost = math.MaxUint64

// Nano is the number of Cost units in ε = 1.
const Nano = 1_000_000_000

// Epsilon returns the Cost of eps, rounded down, so that a budget is never larger than requested.
// It refuses NaN, negative numbers and more than 1e9; +Inf is [Infinite].
func Epsilon(eps float64) (Cost, error) {
	if math.IsInf(eps, 1) {
		return Infinite, nil
	}
	if math.IsNaN(eps) || eps < 0 || eps > Nano {
		return 0, fmt.Errorf("account: epsilon %v, want a number from 0 to 1e9 or inf", eps)
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

// beyond returns ε - c for an ε up to maxEpsilon, with a relative error of at most 2^-51. The
// fused product has one rounding. A c above 2^53 has a remainder that its float lacks; it matters
// only where the product is exact, since ε is a multiple of 2^-29 there.
func beyond(epsilon float64, c Cost) float64 {
	whole := float64(c)
	rest := float64(int64(c) - int64(whole))
	return (math.FMA(epsilon, Nano, -whole) - rest) / Nano
}
