package factor

import (
	"math"
	"math/bits"
)

// HonakerWeight returns, in units of 2^-64, the weight of a node of level z, from 1 to 62, in its
// estimate from below (Honaker 2015). The sum of its two halves' estimates has the remaining
// weight. Weights are inverse to variances: with v_0 = 1 for a leaf's node, 1/v_z = 1 +
// 1/(2·v_(z-1)), so v_z = 2^z/(2^(z+1)-1), which is also the weight.
//
// Both halves must have noisy nodes of their own, also the right ones, which the running sum of
// the plain tree does not need: at leaf t nodes of all levels that end at t are drawn. A leaf
// still lies in at most [TreeLevels] of them.
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
