package factor

import "math/bits"

// HybridBlock returns the place of leaf t ≥ 1 in the hybrid mechanism (Chan, Shi and Song 2011,
// section 4): k = ⌊log2 t⌋ and t - 2^k. The logarithmic mechanism releases the sum at every power
// of two by increments over (2^(k-1), 2^k], and a binary tree over leaves 2^k+1 … 2^(k+1)-1 adds
// later leaves; offset counts these from 1. Offset 0 is the increment.
//
// A leaf lies in one increment and in the nodes of one tree, each of which gets half of ε: an
// increment has noise of scale b = 2Δ/ε, a node noise of scale b·[HybridLevels].
func HybridBlock(t uint64) (k int, offset uint64) {
	k = bits.Len64(t) - 1
	return k, t - 1<<k
}

// HybridLevels returns how many nodes of the tree of block k ≥ 1 a leaf can lie in. The tree has
// 2^k - 1 leaves, since the last leaf of the block completes the next increment.
func HybridLevels(k int) int { return TreeLevels(1<<k - 1) }

// HybridVariance returns the variance of the sum at leaf t in units of the variance of
// one increment's noise: increments 0 … k, and nodes of levels² each.
func HybridVariance(t uint64) float64 {
	k, offset := HybridBlock(t)
	l := HybridLevels(k)
	return float64(k + 1 + l*l*TreeTerms(offset))
}
