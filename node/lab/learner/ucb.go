package learner

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

// UCB pulls the arm with the greatest upper confidence bound (Zhu, Zhu, Liu and Liu 2021,
// Algorithm 1, lines 6 to 13). Its statistic has a part for every arm, the sum of its rewards in
// [0,1]. The radius of an arm is computed from the noise that is in its mean, and fails in round t,
// from 2, with probability 2/t² at most; see docs/lab/proofs/radius.md.
type UCB struct {
	bandit.Arms
	rng    *rand.Rand // picks among forced arms
	bounds []bound    // by arm
	index  []float64  // by arm; scratch
	block  uint64     // last round for which they hold
	l      float64    // ln(2t²) for that round: each side of each part of a radius fails with probability 1/2t²
}

// bound is a radius and its inputs.
type bound struct{ sampleVar, v, b, g, radius float64 }

var _ bandit.Bounder = (*UCB)(nil)

// UCBParams are the parameters of learner ucb, which has none.
type UCBParams struct{}

// Words implements [bandit.Params].
func (UCBParams) Words() bandit.Words {
	return bandit.Words{Name: "ucb", Summary: "pulls the arm with the greatest upper confidence bound"}
}

// New implements [bandit.Params].
func (UCBParams) New(c bandit.Config) (bandit.Learner, error) {
	return &UCB{Arms: bandit.Arms{N: c.Arms}, rng: c.Rand, bounds: make([]bound, c.Arms), index: make([]float64, c.Arms)}, nil
}

// Choose returns a forced arm, picked at random, if there is one; otherwise the arm with the
// greatest upper bound. Unknown arms come first, the least pulled of them first; ties go to the
// lowest arm.
func (u *UCB) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	if c, ok := bandit.Forced(b, t, u.rng); ok {
		return c
	}
	bounds, x := u.radii(b, t.Round), b.X[:len(u.index)]
	bounds = bounds[:len(u.index)]
	for k := range u.index {
		u.index[k] = x[k] + bounds[k].radius
	}
	return bandit.Choice{Arm: bandit.Greatest(b, t, u.index, b.X), Propensity: 1}
}

// Radii implements [bandit.Bounder].
func (u *UCB) Radii(r []bandit.Radius, b *bandit.Belief, round uint64) []bandit.Radius {
	t := float64(round + 2)
	for _, c := range u.radii(b, round) {
		r = append(r, bandit.Radius{Size: c.radius, Miss: 2 / (t * t)})
	}
	return r
}

// Save returns the block of rounds, which determines the radii.
func (u *UCB) Save() []byte { return binary.BigEndian.AppendUint64(nil, u.block) }

// Load implements [bandit.Learner].
func (u *UCB) Load(state []byte) error {
	if len(state) != 8 {
		return fmt.Errorf("learner: saved state of %d bytes, want 8", len(state))
	}
	u.block = binary.BigEndian.Uint64(state)
	u.renew()
	return nil
}

// radii recomputes the radii for which something has changed. At the end of a block of
// rounds, all have: within it the radius is the one of its last round, which is valid for all of
// them. A block is a 64th of the rounds so far.
func (u *UCB) radii(b *bandit.Belief, round uint64) []bound {
	if t := round + 2; t > u.block {
		step := uint64(1) << max(0, bits.Len64(t)-7)
		u.block = (t + step - 1) / step * step
		u.renew()
	}
	n := len(u.bounds)
	sampleVar, v, most, g := b.SampleVar[:n], b.LaplaceSumSq[:n], b.LaplaceMax[:n], b.GaussVar[:n]
	for k := range u.bounds {
		c := &u.bounds[k]
		if c.sampleVar != sampleVar[k] || c.v != v[k] || c.b != most[k] || c.g != g[k] {
			*c = bound{sampleVar[k], v[k], most[k], g[k], 0}
			c.radius = math.Sqrt(c.sampleVar*u.l/2) + belief.NoiseTail(c.v, c.b, c.g, u.l)
		}
	}
	return u.bounds
}

// renew begins a block.
func (u *UCB) renew() {
	u.l = math.Ln2 + 2*math.Log(float64(u.block))
	for k := range u.bounds {
		u.bounds[k].sampleVar = -1
	}
}
