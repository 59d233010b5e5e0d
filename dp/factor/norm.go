package factor

import "math"

// Norm is a bound on the squared L2 norm of a column of C, which is how far a change of 1 in one
// leaf moves everything that is drawn: an integer in units of 2^-32, rounded up.
type Norm uint64

const normBits = 32

// Float returns the squared norm.
func (n Norm) Float() float64 { return float64(n) / (1 << normBits) }

// normOf returns a bound for a squared norm below 2^20 that was computed with a
// relative error of less than 2^-40.
func normOf(x float64) Norm {
	return Norm(math.Ceil(float64(x*(1+0x1p-39)) * (1 << normBits)))
}
