package factor

import "math/bits"

// TreeLevels returns how many nodes of a binary tree over n leaves one leaf can lie in, ⌊log2 n⌋
// + 1: leaf 1 lies in nodes 1, 2, 4, … up to the greatest power of two that is reached. The
// ceiling of the logarithm is one too few if n is a power of two.
func TreeLevels(n uint64) int { return bits.Len64(n) }

// TreeTerms returns how many nodes the sum at leaf t has: one for every set bit of t (Chan, Shi
// and Song 2011, Algorithm 2). Each counts once in its variance.
func TreeTerms(t uint64) int { return bits.OnesCount64(t) }
