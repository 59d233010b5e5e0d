package printed

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"peerd.dev/bandit"
)

// UCBParams are the parameters of learner ucb-printed, which has none.
type UCBParams struct{}

// UCB is learner ucb with formula (12) of paper 004 as printed, of which (11) is the case without
// noise. The radius is hundreds of standard deviations wide, except after one pull, for which it
// omits the noise. Its Lemma 6 promises nothing below (3K+1)M pulls of K arms by each of M peers.
type UCB struct {
	bandit.Arms
	bandit.Stateless
	peers float64
	rng   *rand.Rand
	radii []float64 // by arm; scratch, as index
	index []float64
}

var _ bandit.Bounder = (*UCB)(nil)

// Words implements [bandit.Params].
func (UCBParams) Words() bandit.Words {
	return bandit.Words{Name: "ucb-printed", Summary: "pulls the arm with the greatest upper confidence bound as paper 004 prints it, hundreds of times wider than ucb's"}
}

// New implements [bandit.Params].
func (UCBParams) New(c bandit.Config) (bandit.Learner, error) {
	return &UCB{Arms: bandit.Arms{N: c.Arms}, peers: float64(c.Peers), rng: c.Rand, radii: make([]float64, c.Arms), index: make([]float64, c.Arms)}, nil
}

// Choose returns a forced arm, picked at random, if there is one; otherwise the arm with the
// greatest upper bound.
func (u *UCB) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	if c, ok := bandit.Forced(b, t, u.rng); ok {
		return c
	}
	u.renew(b, t.Round)
	for k, x := range b.X {
		u.index[k] = x + u.radii[k]
	}
	return bandit.Choice{Arm: bandit.Greatest(b, t, u.index, b.X), Propensity: 1}
}

// Radii implements [bandit.Bounder]. Miss is 2/t² where the formula promises something.
func (u *UCB) Radii(r []bandit.Radius, b *bandit.Belief, round uint64) []bandit.Radius {
	t, least := float64(round+2), float64(3*u.N+1)*u.peers
	u.renew(b, round)
	for k, size := range u.radii {
		one := bandit.Radius{Size: size, Miss: 2 / (t * t)}
		if float64(b.Pulls[k]) < least {
			one.Miss = 1
		}
		r = append(r, one)
	}
	return r
}

// renew computes formula (12) without its first term, which is the same for all arms: M peers, n =
// 1/SampleVar pulls, natural logarithms. As printed, the number of noise terms is ⌈log₂ t⌉, the
// most that a running sum can have, and not the actual number: with that, the radius would be least
// at powers of two, and pulls would stop there.
func (u *UCB) renew(b *bandit.Belief, round uint64) {
	m, t := u.peers, round+2
	lt, terms := math.Log(float64(t)), float64(bits.Len64(t-1))
	for k, v := range b.SampleVar {
		noise := terms*b.LaplaceMax[k]*b.LaplaceMax[k] + b.GaussVar[k]/2 // the formula knows only Laplace noise
		u.radii[k] = math.Sqrt(2 * m * (v - 128*m*noise*math.Log(v)) * lt)
	}
}
