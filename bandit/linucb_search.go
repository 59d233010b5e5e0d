package bandit

import (
	"math"
	"slices"

	"peerd.dev/bandit/score"
)

// block is the number of actions drawn one by one that are scored together.
const block = 4

// search is Choose for actions that are drawn during the search. Actions that it never sees have
// an index below the greatest by more than the tolerance for ties, so the choice has the same
// distribution as with Choose. Equal ones are equally likely: mostly the first one is the best.
func (l *LinUCB) search(t Turn) Choice {
	theta, reach := l.estimate.Theta, l.beta*l.estimate.Reach*loose
	if l.sampled {
		l.sample()
		theta, reach = l.theta, 0
	}
	coin := l.rng.Float64()
	t.Actions.Aim(theta)
	l.able, l.features = l.able[:0], l.features[:0]
	best, least, size := math.Inf(-1), math.Inf(-1), 1
	for more := true; more; {
		from := len(l.able)
		for len(l.able) < from+size {
			var a Arm
			var x Features
			if a, x, more = t.Actions.Next(least - reach); !more {
				break
			}
			if !slices.Contains(t.Excluded, a) {
				l.able, l.features = append(l.able, a), append(l.features, x)
			}
		}
		for _, s := range l.score(from, theta) {
			if s > best {
				best, least = s, s-2*l.slack(s) // twice, since Next compares numbers that are rounded in other ways
			}
		}
		if reach > 0 { // otherwise each action raises what the next one must reach
			size = block
		}
	}
	clear(l.features) // they are private, and for this choice only
	c := l.pick(l.scores[:len(l.able)], coin)
	c.Arm = l.able[c.Arm]
	if l.sampled {
		c.Propensity = 0
	}
	return c
}

// score returns the indices of the actions in l.able from a place on.
func (l *LinUCB) score(from int, theta []float64) []float64 {
	scores, features := l.scores[from:len(l.able)], l.features[from:]
	score.Products(scores, theta, features)
	if l.sampled {
		return scores
	}
	squares := l.squares[:len(scores)]
	score.Squares(squares, l.estimate.Panels, features)
	for i, q := range squares {
		scores[i] += l.beta * math.Sqrt(q)
	}
	return scores
}
