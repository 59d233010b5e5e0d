// Package linear has the learners that choose by features, linucb and personalized-linear, which the extra features registers.
package linear

import (
	"math"
	"math/rand/v2"

	"peerd.dev/bandit"
	"peerd.dev/bandit/gram"
	"peerd.dev/bandit/score"
)

// linear is what learners by features have in common: what they add up, which is one part for all arms, and how they
// score actions. It has no estimate.
type linear struct {
	d       int
	records bandit.Kind // of the statistic
	affine  *affine     // makes features; nil unless rewards are centred
	rng     *rand.Rand

	theta    []float64         // scratch: sampled
	normal   []float64         // scratch
	scores   []float64         // by arm; scratch
	able     []bandit.Arm      // arms that can be chosen; scratch
	features []bandit.Features // theirs; scratch
	squares  []float64         // theirs; scratch
}

// newLinear returns a linear of d features that adds up records of a kind. With [Centred] ones the last feature is the constant.
func newLinear(c bandit.Config, d int, records bandit.Kind) linear {
	l := linear{
		d: d, records: records, rng: c.Rand, theta: make([]float64, d), normal: make([]float64, d),
		scores: make([]float64, c.Arms), able: make([]bandit.Arm, 0, c.Arms), features: make([]bandit.Features, 0, c.Arms), squares: make([]float64, c.Arms),
	}
	if records == bandit.Centred {
		l.affine = newAffine(c.Arms, d-1)
	}
	return l
}

// Statistic returns one part for all arms.
func (l *linear) Statistic() bandit.Statistic {
	return bandit.Statistic{Parts: 1, Dim: l.d, Kind: l.records}
}

// Part returns the only one.
func (*linear) Part(bandit.Arm) int { return 0 }

// Update appends the features, which package dp shortens if they are too long, and the reward or,
// if rewards are centred, twice its excess over ½.
func (l *linear) Update(p bandit.Pull, x []float64) []float64 {
	if l.affine != nil {
		return append(appendAffine(x, p.Features), 2*float64(p.Reward)-1)
	}
	return append(append(x, p.Features...), float64(p.Reward))
}

// offered returns the features of the actions of a turn, valid until forget.
func (l *linear) offered(t *bandit.Turn) []bandit.Features {
	if l.affine != nil {
		return l.affine.of(t.Features)
	}
	return t.Features
}

// forget clears features, which are private and for one choice only.
func (l *linear) forget() {
	clear(l.features)
	if l.affine != nil {
		l.affine.forget()
	}
}

// draw draws the error of a parameter, in standard errors.
func (l *linear) draw(beta float64, rng *rand.Rand) {
	for i := range l.normal {
		l.normal[i] = beta * rng.NormFloat64()
	}
}

// sample sets theta to a mean with the error that was drawn, for a W with covariance WᵀW.
func (l *linear) sample(mean []float64, half score.Triangle) {
	copy(l.theta, mean)
	score.AddTransposed(l.theta, half, l.normal)
}

// forbid makes scores of excluded arms lower than all others.
func forbid(scores []float64, t *bandit.Turn) {
	for _, a := range t.Excluded {
		if int(a) < len(scores) { // otherwise it is not offered either
			scores[a] = math.Inf(-1)
		}
	}
}

// pick returns one of the arms with the greatest score, each equally likely, for a coin in [0,
// 1), where scores count as equal up to [slack] for terms of a size. A coin is drawn even for a single arm.
func pick(scores []float64, size, coin float64) bandit.Choice {
	best := scores[0]
	for _, s := range scores {
		if s > best {
			best = s
		}
	}
	best -= slack(best, size)
	n := 0
	for _, s := range scores {
		if s >= best {
			n++
		}
	}
	nth := int(coin * float64(n))
	for k, s := range scores {
		if s < best {
			continue
		}
		if nth == 0 {
			return bandit.Choice{Arm: bandit.Arm(k), Propensity: 1 / float64(n)}
		}
		nth--
	}
	return bandit.Choice{Arm: bandit.NoArm} // all arms are excluded, which no caller does
}

// tie is the difference up to which scores count as equal, relative to their terms. Rounding
// changes them by less.
const tie = 1e-12

// slack returns the difference up to which scores like s count as equal, with terms of a size in addition.
func slack(s, size float64) float64 { return tie * (1 + math.Abs(s) + size) }

// any picks an arm, each equally likely.
func (l *linear) any(t *bandit.Turn) bandit.Choice {
	scores := l.scores[:t.Offered(len(l.scores))]
	clear(scores)
	forbid(scores, t)
	return pick(scores, 0, l.rng.Float64())
}

// reading returns what is known of rewards, given θ and W with the covariance WᵀW of its error.
func (l *linear) reading(theta []float64, half score.Triangle) *bandit.Reading {
	if l.affine != nil {
		return bandit.NewReading(theta, half, ownFactor, .5, constant)
	}
	return bandit.NewReading(theta, half, 1, 0)
}

// kind returns the kind of sums of features.
func kind(k bandit.Kind) gram.Kind {
	switch k {
	case bandit.Corner:
		return gram.Corner
	case bandit.Centred:
		return gram.Centred
	default:
		return gram.Linear
	}
}
