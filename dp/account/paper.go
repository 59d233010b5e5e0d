package account

import (
	"fmt"
	"math"
	"math/bits"
)

// ZhouChowdhury returns the deviation σ0 = √(8κ(ln(2/δ)+ε))/ε, κ = 1 + log2 n, that Zhou and
// Chowdhury (2024) print for both of their streams of n batches. It can be improved:
//   - ρ = ε²/4(ln(1/δ)+ε) instead of the exact curve, see [Papers];
//   - a budget of ε/2 and δ/2 for each stream instead of one for both ([TreeSigma]);
//   - κ, which need not be whole, instead of the nodes that one batch lies in;
//   - a sensitivity of 1 each, right for a record that is left out and too small for
//     one that is replaced: together √2 and √4.5.
func ZhouChowdhury(epsilon, delta float64, n uint64) (float64, error) {
	if err := within("epsilon", epsilon, 1e-9, maxEpsilon); err != nil {
		return 0, err
	}
	if err := probability(delta); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, fmt.Errorf("%w: 0 batches", ErrRange)
	}
	kappa := 1 + math.Log2(float64(n))
	return math.Sqrt(8*kappa*(math.Log(2)-math.Log(delta)+epsilon)) / epsilon, nil
}

// DubeyPentland returns the deviation 4√m·L²·ln(2/δ)/ε, m = 1 + ⌈log2 n⌉, that Dubey and Pentland
// (2020, Algorithm 2) print for a tree of n releases of the matrices of records with norm L. It
// can be improved: it composes pairs (ε, δ) node by node, where μ² adds; it uses the classical
// formula in each; and its matrix also holds the square of the reward, which is not needed.
func DubeyPentland(epsilon, delta float64, n uint64, norm float64) (float64, error) {
	if err := within("epsilon", epsilon, 1e-9, maxEpsilon); err != nil {
		return 0, err
	}
	if err := probability(delta); err != nil {
		return 0, err
	}
	if err := within("norm", norm, 1e-9, 1e9); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, fmt.Errorf("%w: 0 releases", ErrRange)
	}
	levels := 1 + bits.Len64(n-1)
	return 4 * math.Sqrt(float64(levels)) * norm * norm * (math.Log(2) - math.Log(delta)) / epsilon, nil
}

// TreeSigma returns the deviation of the noise in every node of a binary tree over n leaves, all
// of whose nodes are released, that makes a change of the given L2 sensitivity in one leaf (ε,
// δ)-private: a leaf lies in at most ⌊log2 n⌋ + 1 nodes.
func TreeSigma(epsilon, delta, sensitivity float64, n uint64) (float64, error) {
	if n == 0 {
		return 0, fmt.Errorf("%w: 0 leaves", ErrRange)
	}
	levels := math.Sqrt(float64(bits.Len64(n)))
	return Analytic.Sigma(epsilon, delta, sensitivity*levels)
}
