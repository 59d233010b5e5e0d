package printed

import (
	"math"
	"math/bits"

	"peerd.dev/dp"
)

// Noise makes the noise of streams the one that papers print: of Zhou and Chowdhury (2024) for
// [dp.Linear] and of Dubey and Pentland (2020) for [dp.Corner] records in a tree with Gaussian noise.
// Other streams stay as they are. The formulas ignore records per user and adjacency: where they give
// too little noise for the promise, the charge is above the budget.
func Noise(s dp.Spec) dp.Spec {
	switch epsilon := s.Epsilon.Float(); {
	case s.Mechanism != dp.TreeGaussian:
	case s.Shape == dp.Linear:
		s.Sigma = ZhouChowdhury(epsilon, s.Delta, s.Leaves)
	case s.Shape == dp.Corner:
		s.Sigma = DubeyPentland(epsilon, s.Delta, s.Leaves, math.Sqrt2) * math.Sqrt2 // they release (N+Nᵀ)/√2, where svec has (N+Nᵀ)/2
	}
	return s
}

// ZhouChowdhury returns the deviation σ0 = √(8κ(ln(2/δ)+ε))/ε, κ = 1 + log2 n, that Zhou and
// Chowdhury (2024) print for both of their streams of n batches. It can be improved:
//   - ρ = ε²/4(ln(1/δ)+ε) instead of the exact curve, [account.Sigma];
//   - a budget of ε/2 and δ/2 for each stream instead of one for both;
//   - κ, which need not be whole, instead of the nodes that one batch lies in;
//   - a sensitivity of 1 each, right for a record that is left out and too small for
//     one that is replaced: together √2 and √4.5.
func ZhouChowdhury(epsilon, delta float64, n uint64) float64 {
	kappa := 1 + math.Log2(float64(n))
	return math.Sqrt(8*kappa*(math.Log(2)-math.Log(delta)+epsilon)) / epsilon
}

// DubeyPentland returns the deviation 4√m·L²·ln(2/δ)/ε, m = 1 + ⌈log2 n⌉, that Dubey and Pentland
// (2020, Algorithm 2) print for a tree of n releases of the matrices of records with norm L. It
// can be improved: it composes pairs (ε, δ) node by node, where μ² adds; it uses the classical
// formula in each; and its matrix also holds the square of the reward, which is not needed.
func DubeyPentland(epsilon, delta float64, n uint64, norm float64) float64 {
	levels := 1 + bits.Len64(n-1)
	return 4 * math.Sqrt(float64(levels)) * norm * norm * (math.Log(2) - math.Log(delta)) / epsilon
}

// Reach bounds rewards that are not clipped.
const Reach = 128

// Unclipped makes streams take rewards unchanged, within ±[Reach], with the Laplace noise that ε needs
// for rewards from 0 to 1. So do papers whose promise is for the one and whose experiments are with
// the other. It costs 2·Reach times as much, which only [dp.Lockstep] pays.
func Unclipped(s dp.Spec) dp.Spec {
	s.Lo, s.Hi = -Reach, Reach
	if s.Epsilon > dp.Infinite/(2*Reach) {
		s.Epsilon = dp.Infinite
	} else {
		s.Epsilon *= 2 * Reach
	}
	return s
}
