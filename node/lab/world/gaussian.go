package world

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"peerd.dev/bandit"
)

// Gaussian pays the mean of the arm plus normal noise, as in section 5.1 of
// Zhu, Zhu, Liu and Liu 2021, where the means are drawn in [0,1] and the noise
// has variance 1.
//
// Clipping keeps the order of the arms and shrinks the gaps between the means of what is
// paid: with standard deviation 1 and means in [0,1] by about two thirds.
type Gaussian struct {
	plain // means are after clipping, if there is any
	coins
	mu   []float64 // before clipping
	sd   float64
	clip bool
}

var _ bandit.World = (*Gaussian)(nil)

// GaussianParams are the parameters of world gaussian.
type GaussianParams struct {
	Means    [][]float64 `want:"rows of numbers" doc:"Mean reward of every arm, before clipping."`
	Draw     Draw        `want:"given|sites|shared" doc:"Means are given, or uniform in [0, 1], for every site or once for all."`
	Instance uint64      `want:"0.." doc:"Seed of what all runs share; 0 draws it for every run."`
	SD       float64     `want:"over 0" doc:"Standard deviation of rewards, before clipping."`
	Clip     bool        `want:"true|false" doc:"Clip rewards to [0, 1] before they are paid."`
}

func (p GaussianParams) means() means {
	return means{given: p.Means, draw: p.Draw, instance: p.Instance}
}

// Words implements [Params].
func (GaussianParams) Words() Words {
	return Words{"gaussian", "pays the mean of the arm plus normal noise"}
}

// Traits implements [Traited].
func (p GaussianParams) Traits() Traits { return Traits{Arms: p.means().arms(), Unclipped: !p.Clip} }

// Check implements [Checked].
func (p GaussianParams) Check(c Config) (field, want string) { return p.means().check("gaussian", c) }

// Open implements [Params].
func (p GaussianParams) Open(c Config) (Source, error) {
	return &meanSource{"gaussian", c, p.means(), false, func(row []float64, src *rand.ChaCha8) payer {
		return NewGaussian(row, p.SD, p.Clip, src)
	}}, nil
}

// NewGaussian returns the world of a network of one site with these means, one per arm, and the
// standard deviation sd > 0 of its noise. If clip, every reward is moved into [0,1]. Otherwise
// rewards have no bound, no sensitivity holds, and the run must be marked not private: see
// [Traits.Unclipped]. It draws from src, which belongs to it.
func NewGaussian(means []float64, sd float64, clip bool, src *rand.ChaCha8) *Gaussian {
	paid := slices.Clone(means)
	for a, m := range means {
		if clip {
			paid[a] = clipped(m, sd)
		}
	}
	return &Gaussian{plain: newPlain(paid), coins: newCoins(src), mu: slices.Clone(means), sd: sd, clip: clip}
}

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

// clipped returns the mean of a normal variable moved into [0,1]:
// μ(Φ(β)-Φ(α)) + σ(φ(α)-φ(β)) + 1-Φ(β) with α = -μ/σ and β = (1-μ)/σ.
func clipped(mu, sd float64) float64 {
	z := distuv.UnitNormal
	a, b := -mu/sd, (1-mu)/sd
	return mu*(z.CDF(b)-z.CDF(a)) + sd*(z.Prob(a)-z.Prob(b)) + z.Survival(b)
}
