package world

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"peerd.dev/bandit"
)

// Gaussian pays the mean of the arm plus normal noise, as in section 5.1 of
// Zhu, Zhu, Liu and Liu 2021, where the means are drawn in [0,1] and the noise
// has variance 1.
type Gaussian struct {
	mu    []float64 // before clipping
	means []float64 // of what is paid
	sd    float64
	clip  bool
	rng   *rand.Rand
}

var _ World = (*Gaussian)(nil)

// NewGaussian returns a world with these means, one an arm, and the standard
// deviation sd > 0 of its noise. If clip, every reward is moved into [0,1].
// Without, rewards have no bound, no sensitivity holds, and the run must be
// marked not private: see Bounded.
func NewGaussian(means []float64, sd float64, clip bool, rng *rand.Rand) (*Gaussian, error) {
	if len(means) == 0 {
		return nil, errors.New("world: gaussian: no arms")
	}
	if !(sd > 0) || math.IsInf(sd, 0) {
		return nil, fmt.Errorf("world: gaussian: standard deviation %v, want a positive number", sd)
	}
	w := &Gaussian{mu: slices.Clone(means), means: slices.Clone(means), sd: sd, clip: clip, rng: rng}
	for a, m := range means {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return nil, fmt.Errorf("world: gaussian: arm %d has mean %v, want a finite number", a, m)
		}
		if clip {
			w.means[a] = clipped(m, sd)
		}
	}
	return w, nil
}

// Arms returns the number of arms.
func (w *Gaussian) Arms() int { return len(w.mu) }

// Play draws a reward of an arm.
func (w *Gaussian) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := check(a, len(w.mu)); err != nil {
		return 0, err
	}
	y := w.mu[a] + w.sd*w.rng.NormFloat64()
	if w.clip {
		y = min(max(y, 0), 1)
	}
	return bandit.Reward(y), nil
}

// Means returns the expected reward of each arm, after clipping if there is any.
// Clipping keeps the order of the arms and shrinks the gaps between them: with
// sd 1 and means in [0,1] by about two thirds.
func (w *Gaussian) Means() []float64 { return slices.Clone(w.means) }

// Bounded says whether every reward lies in [0,1], as everything private needs.
func (w *Gaussian) Bounded() bool { return w.clip }

// clipped returns the mean of a normal variable moved into [0,1]:
// μ(Φ(β)-Φ(α)) + σ(φ(α)-φ(β)) + 1-Φ(β) with α = -μ/σ and β = (1-μ)/σ.
func clipped(mu, sd float64) float64 {
	z := distuv.UnitNormal
	a, b := -mu/sd, (1-mu)/sd
	return mu*(z.CDF(b)-z.CDF(a)) + sd*(z.Prob(a)-z.Prob(b)) + z.Survival(b)
}
