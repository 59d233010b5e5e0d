package rows

import (
	"math"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
)

// countLevel is the exponent of the probability with which a number of records may be
// greater than an estimate of it allows for.
const countLevel = 32

// countedSample returns what a release of counted records says of part k: s and f, the noised sums
// of rewards and of what they lack to 1. n = s + f is how many there are, up to the noise in
// both, and s/n their mean. The error of the mean is that of a sum of n - Z₁ - Z₂ rewards
// and of noise (1-μ)Z₁ - μZ₂, both over n: docs/proofs/counts.md. There is no sample where n
// is less than the deviation of its noise, or than 1.
func countedSample(r *dp.Release, k int) (sample, bool) {
	s, f, noise := r.At(2*k), r.At(2*k+1), r.NoiseMoments()
	n := s + f
	if n < max(1, math.Sqrt(2*noise.Variance())) {
		return sample{}, false
	}
	most := n + belief.NoiseTail(2*noise.LaplaceSumSq, noise.LaplaceMax, 2*noise.GaussVar, countLevel)
	return sample{mean: s / n, n: n * n / most, noise: noise.Over(n)}, true
}
