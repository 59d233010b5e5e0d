package world

import (
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
)

// Bernoulli pays 1 with the probability of its arm and else 0.
type Bernoulli struct {
	plain // means are the probabilities
	coins
}

var _ bandit.World = (*Bernoulli)(nil)

// BernoulliParams are the parameters of world bernoulli.
type BernoulliParams struct {
	Means    [][]float64 `want:"rows of numbers" doc:"Probability of a reward for every arm."`
	Draw     Draw        `want:"given|sites|shared" doc:"Means are given, or uniform in [0, 1], for every site or once for all."`
	Instance uint64      `want:"0.." doc:"Seed of what all runs share; 0 draws it for every run."`
	Spread   float64     `want:"0 up to 1" doc:"With draw: shared, the greatest difference, uniform, of a site's means."`

	Deviation float64 `want:"0 up to 1" doc:"With draw: shared, the standard deviation of a site's means."`
	Groups    int     `want:"0.." unit:"groups" doc:"With spread or deviation, site i has the means of group i modulo groups; 0 for none."`

	Odd [][]float64 `want:"odd sites" doc:"Site and arm, both from 0, and what the arm pays there: [[9, 4, 0.8]] is the fifth arm at the tenth site."`
}

func (p BernoulliParams) means() means {
	return means{given: p.Means, draw: p.Draw, instance: p.Instance, spread: p.Spread, deviation: p.Deviation, groups: p.Groups, odd: p.Odd}
}

// Words implements [Params].
func (BernoulliParams) Words() Words {
	return Words{"bernoulli", "pays 1 with the probability of the arm and else 0"}
}

// Traits implements [Traited].
func (p BernoulliParams) Traits() Traits {
	return Traits{Arms: p.means().arms(), Odd: p.means().oddSites()}
}

// Check implements [Checked].
func (p BernoulliParams) Check(c Config) (field, want string) {
	return p.means().checkProbabilities("bernoulli", c)
}

// Open implements [Params].
func (p BernoulliParams) Open(c Config) (Source, error) {
	return &meanSource{"bernoulli", c, p.means(), true, func(row []float64, src *rand.ChaCha8) payer {
		return NewBernoulli(row, src)
	}}, nil
}

// NewBernoulli returns the world of a network of one site with these probabilities of a 1, one
// per arm, each in [0,1]. It draws from src, which belongs to it.
func NewBernoulli(means []float64, src *rand.ChaCha8) *Bernoulli {
	return &Bernoulli{newPlain(slices.Clone(means)), newCoins(src)}
}

// probability reports whether x is in [0,1]; NaN is not.
func probability(x float64) bool { return x >= 0 && x <= 1 }

// Play draws a reward of an arm.
func (w *Bernoulli) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := check(a, len(w.means)); err != nil {
		return 0, err
	}
	return w.pay(w.means[a]), nil
}
