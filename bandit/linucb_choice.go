package bandit

import (
	"math"

	"peerd.dev/bandit/score"
)

// loose is the factor by which |Wx| may exceed Reach, since both are rounded.
const loose = 1 + 1e-6

// Choose returns the arm with the greatest index, or any arm while nothing is known. Equal arms
// are equally likely, except for arms with one sampled reward, which have the same features: then
// it is the lowest. The probability of a sampled choice is not computed.
func (l *LinUCB) Choose(b *Belief, t Turn) Choice {
	l.learn(b)
	if !l.known {
		return l.any(&t)
	}
	features := l.offered(&t)
	defer l.forget()
	scores := l.scores[:len(features)]
	if l.sampled {
		l.draw(l.beta, l.rng)
		l.sample(l.estimate.Theta, l.estimate.Half)
		score.Products(scores, l.theta, features)
		forbid(scores, &t)
		return Choice{pick(scores, l.reach(), 0).Arm, 0}
	}
	score.Products(scores, l.estimate.Theta, features)
	forbid(scores, &t)
	l.raise(scores, features)
	return pick(scores, l.reach(), l.rng.Float64())
}

// reach returns the greatest β|Wx| of features of norm 1.
func (l *LinUCB) reach() float64 { return l.beta * l.estimate.Reach }

// raise adds β|Wx| to estimated rewards. It computes |Wx| only for arms that can have the
// greatest sum, since it is at most Reach for features of norm 1; the others count as excluded.
// This does not change the choice.
func (l *LinUCB) raise(scores []float64, features []Features) {
	first := 0
	for k, s := range scores {
		if s > scores[first] {
			first = k
		}
	}
	score.Squares(l.squares[:1], l.estimate.Panels, features[first:first+1])
	least := scores[first] + l.beta*math.Sqrt(l.squares[0])
	least -= slack(least, l.reach())
	reach := l.reach() * loose
	l.able, l.features = l.able[:0], l.features[:0]
	for k, s := range scores {
		if s+reach < least {
			scores[k] = math.Inf(-1)
			continue
		}
		l.able, l.features = append(l.able, Arm(k)), append(l.features, features[k])
	}
	squares := l.squares[:len(l.able)]
	score.Squares(squares, l.estimate.Panels, l.features)
	for i, k := range l.able {
		scores[k] += l.beta * math.Sqrt(squares[i])
	}
}
