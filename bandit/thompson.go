package bandit

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// ThompsonParams are the parameters of learner thompson.
type ThompsonParams struct {
	Inflation float64 `want:"over 1 up to 4" doc:"Factor by which sampled errors are wider than the errors of the means. Less explores less; at 1 nothing is promised."`
}

// Thompson samples an error for every mean and pulls the arm whose mean plus error is the
// greatest. The error of rewards is normal with the variance 1/4n of rewards in [0,1]; the
// error of noise has the law of the noise itself, Laplace terms included. Both are
// inflated.
//
// With a normal error in place of the Laplace terms a best arm whose noise is far below 0
// is never sampled again. With errors inflated by c the expected number of samples until
// the best arm is sampled above its mean is at most c/(c-1) + 1, over all that the noise in
// it can be: docs/proofs/thompson.md.
type Thompson struct {
	arms
	stateless
	inflation float64
	rng       *rand.Rand
	index     []float64 // by arm; scratch
}

var _ Learner = (*Thompson)(nil)

// Recommended is the learner that a new folder begins with.
const Recommended = "thompson"

func thompsonEntry() Entry {
	return define(Recommended, "samples means with the law of their errors and pulls the arm with the greatest", ThompsonParams{math.Sqrt2}, nil, newThompson)
}

func newThompson(c Config, p ThompsonParams) (Learner, error) {
	if !(p.Inflation > 1 && p.Inflation <= 4) {
		return nil, fmt.Errorf("bandit: inflation %v, want over 1 up to 4", p.Inflation)
	}
	return &Thompson{arms: arms{c.Arms}, inflation: p.Inflation, rng: c.Rand, index: make([]float64, c.Arms)}, nil
}

// Choose returns a forced arm, picked at random, if there is one; else the arm with the
// greatest sample. How likely that was is not computed.
func (s *Thompson) Choose(b *Belief, t Turn) Choice {
	if c, ok := forced(b, t, s.rng); ok {
		return c
	}
	for k, v := range b.SampleVar {
		if !b.Known(k) {
			continue
		}
		e := math.Sqrt(v/4+b.GaussVar[k]) * s.rng.NormFloat64()
		if scale := b.LaplaceMax[k]; scale > 0 {
			e += scale * s.laplaces(b.LaplaceSumSq[k]/(scale*scale))
		}
		s.index[k] = b.X[k] + s.inflation*e
	}
	return Choice{greatest(b, t, s.index), 0}
}

// laplaces samples a sum of n ≥ 1 Laplace terms of scale 1, or, where n is no whole number,
// the law between them: the difference of two gamma variables of shape n.
func (s *Thompson) laplaces(n float64) float64 { return s.gamma(max(1, n)) - s.gamma(max(1, n)) }

// gamma samples a gamma variable of shape n ≥ 1 and scale 1 (Marsaglia and Tsang 2000).
func (s *Thompson) gamma(n float64) float64 {
	d := n - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-s.rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
