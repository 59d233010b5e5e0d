package bandit

import (
	"math"
	"math/rand/v2"
)

// MEDParams are the parameters of learner med.
type MEDParams struct{}

// MED pulls every arm with a probability proportional to e^(-D), where D is the exponent with which
// rewards and noise speak against its mean being the greatest estimate; see docs/proofs/klucb.md. So the
// probability of a choice is known. It is minimum empirical divergence (Honda and Takemura 2011)
// in the form of Maillard sampling (Bian and Jun 2022; Qin, Jun and Zhang 2023). See
// docs/proofs/imed.md.
type MED struct {
	Arms
	Stateless
	rng   *rand.Rand
	x     exponents
	index []float64 // by arm: 1 if it was sampled, else 0; scratch
}

var _ Sampler = (*MED)(nil)

// Words implements [Params].
func (MEDParams) Words() Words {
	return Words{"med", "pulls every arm with the probability that the evidence against it leaves, and states it exactly"}
}

// New implements [Params].
func (MEDParams) New(c Config) (Learner, error) {
	return &MED{Arms: Arms{c.Arms}, rng: c.Rand, x: newExponents(c.Arms), index: make([]float64, c.Arms)}, nil
}

// none is an exponent from which on e to its negative is 0.
const none = 746

// Choose returns a forced arm, picked at random, if there is one; otherwise an unknown arm or a
// sampled one, with the probability of the sample.
func (u *MED) Choose(b *Belief, t Turn) Choice {
	if c, ok := Forced(b, t, u.rng); ok {
		return c
	}
	sum := u.weigh(b, &t)
	sampled, rest := 0, sum*u.rng.Float64()
	for k, p := range u.index {
		if p > 0 {
			sampled = k
			if rest -= p; rest < 0 {
				break
			}
		}
	}
	p := u.index[sampled] / sum
	clear(u.index)
	u.index[sampled] = 1
	arm := Greatest(b, t, u.index, u.index)
	if !b.Known(int(arm)) {
		return Choice{arm, 1}
	}
	return Choice{arm, p}
}

// weigh sets index to weights in proportion to which arms are sampled, and returns their sum.
func (u *MED) weigh(b *Belief, t *Turn) (sum float64) {
	u.x.renew(b, t)
	for k := range u.index {
		u.index[k] = math.Exp(-u.x.of(b, k, none))
		sum += u.index[k]
	}
	if sum == 0 { // all estimates are far below 0, which takes a lie
		for k := range u.index {
			if !u.x.rests[k] && b.X[k] == u.x.best {
				u.index[k] = 1
				sum++
			}
		}
	}
	return sum
}

// Chances implements [Sampler]. It draws no samples.
func (u *MED) Chances(p []float64, b *Belief, t Turn, _ Arm, _ int, _ *rand.Rand) {
	if evenForced(p, b, &t) {
		return
	}
	sum := u.weigh(b, &t)
	for k := range p {
		p[k] = u.index[k] / sum
	}
	clear(u.index)
	if arm := Greatest(b, t, u.index, u.index); !b.Known(int(arm)) {
		clear(p)
		p[arm] = 1
	}
}
