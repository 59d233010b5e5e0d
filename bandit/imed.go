package bandit

import (
	"math/rand/v2"
)

// IMEDParams are the parameters of learner imed.
type IMEDParams struct{}

// IMED pulls the arm with the least D + ln n. Here n is the number of rewards on which its estimate
// rests, and D the exponent with which they and the noise speak against its mean being the greatest
// estimate, as docs/proofs/klucb.md has it. It is indexed minimum empirical divergence (Honda and Takemura 2015)
// and, with one site and one Laplace term for each batch, DP-IMED (Azize, Wu, Honda, Orabona, Ito
// and Basu 2025). See docs/proofs/imed.md.
type IMED struct {
	Arms
	Stateless
	rng *rand.Rand // picks among forced arms
	x   exponents
}

var _ Learner = (*IMED)(nil)

// Words implements [Params].
func (IMEDParams) Words() Words {
	return Words{"imed", "pulls the arm of which the evidence against it and the logarithm of its rewards are least together"}
}

// New implements [Params].
func (IMEDParams) New(c Config) (Learner, error) {
	return &IMED{Arms: Arms{c.Arms}, rng: c.Rand, x: newExponents(c.Arms)}, nil
}

// Choose returns a forced arm, picked at random, if there is one; otherwise the arm with the least
// index.
func (u *IMED) Choose(b *Belief, t Turn) Choice {
	if c, ok := Forced(b, t, u.rng); ok {
		return c
	}
	u.x.indices(b, &t, 0)
	return Choice{Greatest(b, t, u.x.index, u.x.index), 1}
}
