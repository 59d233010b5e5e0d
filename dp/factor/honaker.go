package factor

import (
	"math"
	"math/bits"
)

// HonakerWeight returns the weight of a node of level z, from 1 to 62, beside the sum
// of its two halves' estimates, whose weight is 1 less it, in units of 2^-64 (Honaker
// 2015, the estimate from below). Weights are inverse to variances: with v_0 = 1 of a
// leaf's node, 1/v_z = 1 + 1/(2·v_(z-1)), so that v_z = 2^z/(2^(z+1)-1), and v_z is
// the weight too.
//
// The halves must have noisy nodes of their own, the right ones too, which the running
// sum of the plain tree does without: at leaf t nodes of all levels that end at t are
// drawn. A leaf still lies in [TreeLevels] of them at most.
func HonakerWeight(z int) uint64 {
	w, _ := bits.Div64(1<<z, 0, 1<<(z+1)-1)
	return w
}

// HonakerVariance returns the variance of the sum at leaf t in units of the variance
// of one node's noise: Σ v_z over the set bits z of t.
func HonakerVariance(t uint64) float64 {
	sum := 0.0
	for ; t > 0; t &= t - 1 {
		z := bits.TrailingZeros64(t)
		sum += 1 / (2 - math.Ldexp(1, -z))
	}
	return sum
}
