package dp

import "peerd.dev/dp/mechanism"

// Limits of a [Spec] and its [Charge].
const (
	MaxLeaves  = mechanism.MaxLeaves
	maxRecords = mechanism.MaxRecords
	maxKept    = 1 << 26                 // in all leaves, if a mechanism keeps them: 1 GiB
	maxSums    = 1 << 20                 // in all streams of a Spec, since each is kept many times
	maxBound   = 1 << (8 - GridExponent) // 2^8 in grid units
	minCost    = Nano / 1_000_000        // ε of one millionth
)

// minSigma is the least deviation of Gaussian noise in grid units.
const minSigma = 1 << 10
