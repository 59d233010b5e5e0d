package linear

import (
	"math"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/bandit/score"
)

// loose is the factor by which |Wx| may exceed Reach, since both are rounded.
const loose = 1 + 1e-6

// Choose returns the arm with the greatest index, or any arm while nothing is known. Equal arms
// are equally likely, except for arms with one sampled reward, which have the same features: then
// it is the lowest. The probability of a sampled choice is not computed; see [LinUCB.Chances].
func (l *LinUCB) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	l.learn(b)
	if !l.known {
		return l.any(&t)
	}
	features := l.offered(&t)
	defer l.forget()
	if l.sampled {
		return bandit.Choice{Arm: l.best(&t, features, l.rng)}
	}
	return pick(l.bounds(&t, features), l.reach(), l.rng.Float64())
}

// best returns the arm with the greatest reward under a sampled parameter.
func (l *LinUCB) best(t *bandit.Turn, features []bandit.Features, rng *rand.Rand) bandit.Arm {
	scores := l.scores[:len(features)]
	l.draw(l.beta, rng)
	l.sample(l.estimate.Theta, l.estimate.Half)
	score.Products(scores, l.theta, features)
	forbid(scores, t)
	return pick(scores, l.reach(), 0).Arm
}

// bounds returns the bounds of the rewards of all arms.
func (l *LinUCB) bounds(t *bandit.Turn, features []bandit.Features) []float64 {
	scores := l.scores[:len(features)]
	score.Products(scores, l.estimate.Theta, features)
	forbid(scores, t)
	l.raise(scores, features)
	return scores
}

// Chances implements [bandit.Sampler].
func (l *LinUCB) Chances(p []float64, b *bandit.Belief, t bandit.Turn, own bandit.Arm, samples int, rng *rand.Rand) {
	l.learn(b)
	if !l.known {
		bandit.Even(p, t.Able(len(p)))
		return
	}
	features := l.offered(&t)
	defer l.forget()
	if l.sampled {
		bandit.Shares(p, own, samples, func() bandit.Arm { return l.best(&t, features, rng) })
		return
	}
	scores := l.bounds(&t, features)
	best := slices.Max(scores)
	best -= slack(best, l.reach())
	bandit.Even(p, func(k int) bool { return k < len(scores) && scores[k] >= best })
}

// reach returns the greatest β|Wx| of features of norm 1.
func (l *LinUCB) reach() float64 { return l.beta * l.estimate.Reach }

// raise adds β|Wx| to estimated rewards. It computes |Wx| only for arms that can have the
// greatest sum, since it is at most Reach for features of norm 1; the others count as excluded.
// This does not change the choice.
func (l *LinUCB) raise(scores []float64, features []bandit.Features) {
	first := 0
	for k, s := range scores {
		if s > scores[first] {
			first = k
		}
	}
	score.Squares(l.squares[:1], l.estimate.Half, len(l.estimate.Theta), features[first:first+1])
	least := scores[first] + l.beta*math.Sqrt(l.squares[0])
	least -= slack(least, l.reach())
	reach := l.reach() * loose
	l.able, l.features = l.able[:0], l.features[:0]
	for k, s := range scores {
		if s+reach < least {
			scores[k] = math.Inf(-1)
			continue
		}
		l.able, l.features = append(l.able, bandit.Arm(k)), append(l.features, features[k])
	}
	squares := l.squares[:len(l.able)]
	score.Squares(squares, l.estimate.Half, len(l.estimate.Theta), l.features)
	for i, k := range l.able {
		scores[k] += l.beta * math.Sqrt(squares[i])
	}
}
