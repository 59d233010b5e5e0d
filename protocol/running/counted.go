package running

import (
	"math"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
)

// countLevel bounds the probability that a number of records exceeds the bound from its estimate,
// as exp(-countLevel).
const countLevel = 32

// countedSample returns the sample of part k in a release of counted records: s and f, the noised
// sums of rewards and of their distances from 1. n = s + f is their number, up to the noise in
// both, and s/n their mean. The error of the mean has two parts, a sum of n - Z₁ - Z₂ rewards and
// the noise (1-μ)Z₁ - μZ₂, both over n: docs/proofs/counts.md. There is no sample if n is less than
// the deviation of its noise, or less than 1.
func countedSample(origin protocol.Peer, r *dp.Release, k int) (belief.Site, bool) {
	s, f, noise := r.At(2*k), r.At(2*k+1), r.NoiseMoments()
	n := s + f
	if n < max(1, math.Sqrt(2*noise.Variance())) {
		return belief.Site{}, false
	}
	most := n + belief.NoiseTail(2*noise.LaplaceSumSq, noise.LaplaceMax, 2*noise.GaussVar, countLevel)
	return rows.Site(origin, s/n, n*n/most, n*n/most, noise.Over(n)), true
}
