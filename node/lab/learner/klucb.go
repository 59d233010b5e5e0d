package learner

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"peerd.dev/bandit"
)

// Level is the exponent, in round t, of the probability below which [KLUCB] rules out a mean.
type Level string

// The levels, of the exponent in round t.
const (
	TwoLog  Level = "2 ln t"           // the promise of the calibrated radius of [UCB], kept if pulls are unequal
	LogPlus Level = "ln t + 3 ln ln t" // the one for which Garivier and Cappé (2011) prove the regret of KL-UCB
	Log     Level = "ln t"             // the least, for peers in step
)

// KLUCBParams are the parameters of learner klucb.
type KLUCBParams struct {
	Level Level `want:"2 ln t|ln t + 3 ln ln t|ln t" doc:"Exponent of the probability of an index that is too low in round t. ln t is not safe where sites pull unequally."`
}

// KLUCB pulls the arm with the greatest mean that the evidence does not rule out: the greatest q
// for which the joint Chernoff bound of rewards with mean q and of the noise
//
//	sup over s ≥ 0 of [-N s y - max Σ nᵢ ln(1 - qᵢ + qᵢ e^(-s/nᵢ)) + Σ (vᵢ/bᵢ²) ln(1 - bᵢ²s²) - Σ gᵢ s²/2]
//
// is at most the level. There y is the mean over N sites of released means of nᵢ rewards, and
// vᵢ, bᵢ and gᵢ are the moments of the noise in them. The inner maximum is over means qᵢ of the
// sites whose mean is q. A belief that does not know its sites counts as one site of n =
// 1/SampleVar. Without noise it is KL-UCB (Garivier and Cappé 2011); with one site and one
// Laplace term for each batch it is the index of DP-KLUCB (Azize, Wu, Honda, Orabona, Ito and
// Basu 2025). See docs/proofs/klucb.md.
type KLUCB struct {
	bandit.Arms
	level Level
	rng   *rand.Rand        // picks among forced arms
	known []bandit.Evidence // by arm, from which the index was computed
	index []float64         // by arm, or a bound above it
	exact []bool            // by arm, whether it is the index
	last  int               // arm with the greatest index in the last choice
	block uint64            // last round for which they hold
	l     float64           // level of that round
}

var _ bandit.Bounder = (*KLUCB)(nil)

// Words implements [bandit.Params].
func (KLUCBParams) Words() bandit.Words {
	return bandit.Words{Name: "klucb", Summary: "pulls the arm with the greatest mean that rewards and noise do not rule out"}
}

// New implements [bandit.Params].
func (p KLUCBParams) New(c bandit.Config) (bandit.Learner, error) {
	return &KLUCB{
		Arms: bandit.Arms{N: c.Arms}, level: p.Level, rng: c.Rand, known: make([]bandit.Evidence, c.Arms), index: make([]float64, c.Arms), exact: make([]bool, c.Arms),
	}, nil
}

// Choose returns a forced arm, picked at random, if there is one; otherwise the arm with the
// greatest index.
func (u *KLUCB) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	if c, ok := bandit.Forced(b, t, u.rng); ok {
		return c
	}
	u.update(b, t.Round)
	u.compare(b, &t)
	arm := bandit.Greatest(b, t, u.index, b.X)
	u.last = int(arm)
	return bandit.Choice{Arm: arm, Propensity: 1}
}

// Radii implements [bandit.Bounder] with how far the index is above the mean. Miss is e^(-l) at the
// level of the round.
func (u *KLUCB) Radii(r []bandit.Radius, b *bandit.Belief, round uint64) []bandit.Radius {
	u.update(b, round)
	miss := math.Exp(-u.level.of(round + 2))
	for k := range u.index {
		r = append(r, bandit.Radius{Size: u.of(b, k) - b.X[k], Miss: miss, Above: true})
	}
	return r
}

// update forgets the indices for which something has changed.
func (u *KLUCB) update(b *bandit.Belief, round uint64) {
	if r := round + 2; r > u.block { // as in UCB, a block is a 64th of the rounds so far
		step := uint64(1) << max(0, bits.Len64(r)-7)
		u.renew((r + step - 1) / step * step)
	}
	for k := range u.known {
		if u.known[k].Renew(b, k) {
			u.index[k], u.exact[k] = math.Inf(1), false
		}
	}
}

// of returns the index of an arm, and 0 if nothing is known of it.
func (u *KLUCB) of(b *bandit.Belief, k int) float64 {
	switch {
	case !b.Known(k):
		return 0
	case !u.exact[k]:
		u.index[k], u.exact[k] = u.known[k].Greatest(u.l), true
	}
	return u.index[k]
}

// margin is more than the error of an index.
const margin = 1e-7

// compare computes the indices of the arms that may have the greatest one. The others have a bound that is below it, which is
// much cheaper: it takes one exponent, or a bound of it, in place of a search.
func (u *KLUCB) compare(b *bandit.Belief, t *bandit.Turn) {
	best := math.Inf(-1)
	counts := func(k int) bool { return b.Known(k) && !b.IsAhead(k) && !t.Excludes(k) }
	if counts(u.last) {
		best = u.of(b, u.last)
	}
	for k := range u.index {
		if !counts(k) || u.index[k] < best {
			continue
		}
		if q := min(best, 1) - margin; !u.exact[k] && u.known[k].Below(q, u.l) {
			u.index[k] = q
			continue
		}
		best = max(best, u.of(b, k))
	}
}

// of returns the exponent in round t.
func (l Level) of(t uint64) float64 {
	x := math.Log(float64(t))
	switch l {
	case Log: // unchanged
	case TwoLog:
		x *= 2
	case LogPlus:
		x += 3 * math.Log(max(1, x))
	}
	return x
}

// renew begins a block that ends with round t.
func (u *KLUCB) renew(t uint64) {
	u.block, u.l = t, u.level.of(t)
	for k := range u.known {
		u.index[k], u.exact[k] = math.Inf(1), false
	}
}

// Save returns the block of rounds, which determines the indices.
func (u *KLUCB) Save() []byte { return binary.BigEndian.AppendUint64(nil, u.block) }

// Load implements [bandit.Learner].
func (u *KLUCB) Load(state []byte) error {
	if len(state) != 8 {
		return fmt.Errorf("learner: saved state of %d bytes, want 8", len(state))
	}
	if t := binary.BigEndian.Uint64(state); t > 0 {
		u.renew(t)
	}
	return nil
}
