package world

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
)

// Bernoulli pays 1 with the probability of its arm and else 0.
type Bernoulli struct {
	means []float64
	rng   *rand.Rand
}

var _ World = (*Bernoulli)(nil)

// NewBernoulli returns a world with these probabilities of a 1, one an arm, each
// in [0,1].
func NewBernoulli(means []float64, rng *rand.Rand) (*Bernoulli, error) {
	if len(means) == 0 {
		return nil, errors.New("world: bernoulli: no arms")
	}
	for a, m := range means {
		if !(m >= 0 && m <= 1) { // so that NaN is refused too
			return nil, fmt.Errorf("world: bernoulli: arm %d has mean %v, want 0 to 1", a, m)
		}
	}
	return &Bernoulli{means: slices.Clone(means), rng: rng}, nil
}

// Arms returns the number of arms.
func (w *Bernoulli) Arms() int { return len(w.means) }

// Play draws a reward of an arm.
func (w *Bernoulli) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := check(a, len(w.means)); err != nil {
		return 0, err
	}
	if w.rng.Float64() < w.means[a] {
		return 1, nil
	}
	return 0, nil
}

// Means returns the probability of a 1 for each arm.
func (w *Bernoulli) Means() []float64 { return slices.Clone(w.means) }

// Bounded says whether every reward lies in [0,1]: yes.
func (w *Bernoulli) Bounded() bool { return true }
