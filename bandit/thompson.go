package bandit

import (
	"math"
	"math/rand/v2"
)

// ThompsonParams are the parameters of learner thompson.
type ThompsonParams struct {
	Inflation float64 `want:"over 1 up to 4" doc:"Factor on the errors that are sampled; at 1 nothing is promised."`
}

// Thompson samples an error for every mean and pulls the arm whose mean plus error is greatest.
// The error of rewards is normal with the variance 1/4n of rewards in [0,1]; the error of noise
// has the distribution of the noise itself, including Laplace terms. Both are inflated.
//
// With a normal error instead of the Laplace terms, a best arm whose noise is far below 0 is
// never sampled again. With errors inflated by c, the expected number of samples until the best
// arm is sampled above its mean is at most c/(c-1) + 1, over all values of the noise in it:
// docs/proofs/thompson.md.
type Thompson struct {
	Arms
	Stateless
	inflation float64
	rng       *rand.Rand
	index     []float64 // by arm; scratch
}

var _ Sampler = (*Thompson)(nil)

// Words implements [Params].
func (ThompsonParams) Words() Words {
	return Words{"thompson", "samples means with the law of their errors and pulls the arm with the greatest"}
}

// New implements [Params].
func (p ThompsonParams) New(c Config) (Learner, error) {
	return &Thompson{Arms: Arms{c.Arms}, inflation: p.Inflation, rng: c.Rand, index: make([]float64, c.Arms)}, nil
}

// Choose returns a forced arm, picked at random, if there is one; otherwise the arm with the
// greatest sample. The probability of the choice is not computed; see [Thompson.Chances].
func (s *Thompson) Choose(b *Belief, t Turn) Choice {
	if c, ok := Forced(b, t, s.rng); ok {
		return c
	}
	return Choice{s.sample(b, t, s.rng), 0}
}

// sample returns the arm with the greatest sample.
func (s *Thompson) sample(b *Belief, t Turn, rng *rand.Rand) Arm {
	for k, v := range b.SampleVar {
		if !b.Known(k) {
			continue
		}
		e := math.Sqrt(v/4+b.GaussVar[k]) * rng.NormFloat64()
		if scale := b.LaplaceMax[k]; scale > 0 {
			e += scale * laplaces(b.LaplaceSumSq[k]/(scale*scale), rng)
		}
		s.index[k] = b.X[k] + s.inflation*e
	}
	return Greatest(b, t, s.index, b.X)
}

// Chances implements [Sampler].
func (s *Thompson) Chances(p []float64, b *Belief, t Turn, own Arm, samples int, rng *rand.Rand) {
	if !evenForced(p, b, &t) {
		Shares(p, own, samples, func() Arm { return s.sample(b, t, rng) })
	}
}

// laplaces samples a sum of n ≥ 1 Laplace terms of scale 1 or, if n is not a whole number, the
// distribution in between: the difference of two gamma variables of shape n.
func laplaces(n float64, rng *rand.Rand) float64 {
	return gamma(max(1, n), rng) - gamma(max(1, n), rng)
}

// gamma samples a gamma variable of shape n ≥ 1 and scale 1 (Marsaglia and Tsang 2000).
func gamma(n float64, rng *rand.Rand) float64 {
	d := n - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
