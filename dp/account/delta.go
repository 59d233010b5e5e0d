package account

import (
	"fmt"
	"strconv"
)

// Delta is a δ in units of 1e-18, an integer, so that a ledger can hold it.
type Delta uint64

const atto = 1e18

// DeltaOf returns a δ from 0 to below 1, rounded down, so that a budget is never larger than
// requested.
func DeltaOf(delta float64) (Delta, error) {
	if !(0 <= delta && delta < 1) {
		return 0, fmt.Errorf("%w: delta %v, want a number from 0 to below 1", ErrRange, delta)
	}
	return Delta(delta * atto), nil
}

// Float returns δ.
func (d Delta) Float() float64 { return float64(d) / atto }

// String returns δ in decimal.
func (d Delta) String() string { return strconv.FormatFloat(d.Float(), 'g', -1, 64) }
