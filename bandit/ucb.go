package bandit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"peerd.dev/bandit/belief"
)

// Confidence names the formula of a confidence radius.
type Confidence string

// The formulas. Each bounds the error of an arm's mean in round t, from 2, except with
// probability 2/t².
const (
	// Calibrated is computed from the noise that is really in the mean; see
	// docs/proofs/radius.md.
	Calibrated Confidence = "calibrated"
	// Paper is formula (12) of paper 004 as printed, of which (11) is the case without noise. It
	// is hundreds of standard deviations wide, except after one pull, for which it omits the
	// noise. Its Lemma 6 promises nothing below (3K+1)M pulls of K arms by each of M peers.
	Paper Confidence = "paper"
)

// UCB pulls the arm with the greatest upper confidence bound (Zhu, Zhu, Liu and Liu 2021,
// Algorithm 1, lines 6 to 13). Its statistic has a part for every arm, the sum of its rewards in
// [0,1].
type UCB struct {
	Arms
	peers      float64
	confidence Confidence
	rng        *rand.Rand // picks among forced arms
	bounds     []bound    // by arm
	index      []float64  // by arm; scratch
	block      uint64     // last round for which they hold
	l          float64    // ln(2t²) for that round: each side of each part of a radius fails with probability 1/2t²
}

// bound is a radius and its inputs.
type bound struct{ sampleVar, v, b, g, radius float64 }

var _ Bounder = (*UCB)(nil)

// UCBParams are the parameters of learner ucb.
type UCBParams struct {
	Confidence Confidence `want:"calibrated|paper" doc:"Confidence radius: computed from the noise that is in the mean, or as the paper prints it, hundreds of times wider."`
}

// Words implements [Params].
func (UCBParams) Words() Words {
	return Words{"ucb", "pulls the arm with the greatest upper confidence bound"}
}

// New implements [Params].
func (p UCBParams) New(c Config) (Learner, error) {
	if p.Confidence != Calibrated && p.Confidence != Paper {
		return nil, fmt.Errorf("bandit: confidence %q, want calibrated or paper", p.Confidence)
	}
	return &UCB{Arms: Arms{c.Arms}, peers: float64(c.Peers), confidence: p.Confidence, rng: c.Rand, bounds: make([]bound, c.Arms), index: make([]float64, c.Arms)}, nil
}

// Choose returns a forced arm, picked at random, if there is one; otherwise the arm with the
// greatest upper bound. Unknown arms come first, the least pulled of them first; ties go to the
// lowest arm.
func (u *UCB) Choose(b *Belief, t Turn) Choice {
	if c, ok := Forced(b, t, u.rng); ok {
		return c
	}
	bounds, x := u.radii(b, t.Round), b.X[:len(u.index)]
	bounds = bounds[:len(u.index)]
	for k := range u.index {
		u.index[k] = x[k] + bounds[k].radius
	}
	return Choice{Greatest(b, t, u.index, b.X), 1}
}

// Radii implements [Bounder]. Miss is 2/t² where the formula promises something.
func (u *UCB) Radii(r []Radius, b *Belief, round uint64) []Radius {
	t := float64(round + 2)
	least := 0.0
	if u.confidence == Paper {
		least = float64(3*u.N+1) * u.peers
	}
	for k, c := range u.radii(b, round) {
		one := Radius{Size: c.radius, Miss: 2 / (t * t)}
		if float64(b.Pulls[k]) < least {
			one.Miss = 1
		}
		r = append(r, one)
	}
	return r
}

func (u *UCB) radii(b *Belief, round uint64) []bound {
	if u.confidence == Calibrated {
		return u.calibratedRadii(b, round)
	}
	return u.paperRadii(b, round)
}

// Save returns the block of rounds, which determines the radii.
func (u *UCB) Save() []byte { return binary.BigEndian.AppendUint64(nil, u.block) }

// Load implements [Learner].
func (u *UCB) Load(state []byte) error {
	if len(state) != 8 {
		return fmt.Errorf("bandit: saved state of %d bytes, want 8", len(state))
	}
	u.block = binary.BigEndian.Uint64(state)
	u.renew()
	return nil
}

// paperRadii computes formula (12) without its first term, which is the same for all arms: M
// peers, n = 1/SampleVar pulls, natural logarithms. As printed, the number of noise terms is
// ⌈log₂ t⌉, the most that a running sum can have, and not the actual number: with that, the
// radius would be least at powers of two, and pulls would stop there.
func (u *UCB) paperRadii(b *Belief, round uint64) []bound {
	m, t := u.peers, round+2
	lt, terms := math.Log(float64(t)), float64(bits.Len64(t-1))
	for k, v := range b.SampleVar {
		noise := terms*b.LaplaceMax[k]*b.LaplaceMax[k] + b.GaussVar[k]/2 // the formula knows only Laplace noise
		u.bounds[k].radius = math.Sqrt(2 * m * (v - 128*m*noise*math.Log(v)) * lt)
	}
	return u.bounds
}

// calibratedRadii recomputes the radii for which something has changed. At the end of a block of
// rounds, all have: within it the radius is the one of its last round, which is valid for all of
// them. A block is a 64th of the rounds so far.
func (u *UCB) calibratedRadii(b *Belief, round uint64) []bound {
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
