package bandit

import (
	"math"

	"peerd.dev/bandit/score"
)

const (
	// tie is the difference up to which scores count as equal, relative to their terms. Rounding
	// changes them by less.
	tie = 1e-12
	// loose is the factor by which |Wx| may exceed Reach, since both are rounded.
	loose = 1 + 1e-6
)

// Choose returns the arm with the greatest index, or any arm while nothing is known. Equal arms
// are equally likely, except for arms with one sampled reward, which have the same features: then
// it is the lowest. The probability of a sampled choice is not computed.
func (l *LinUCB) Choose(b *Belief, t Turn) Choice {
	l.learn(b)
	if !l.known {
		return l.any(t)
	}
	if l.affine != nil {
		t = l.affine.turn(t)
		defer l.affine.forget()
	}
	if t.Actions != nil {
		return l.search(t)
	}
	scores := l.scores[:len(t.Features)]
	if l.sampled {
		l.sample()
		score.Products(scores, l.theta, t.Features)
		forbid(scores, t)
		return Choice{l.pick(scores, 0).Arm, 0}
	}
	score.Products(scores, l.estimate.Theta, t.Features)
	forbid(scores, t)
	l.raise(scores, t)
	return l.pick(scores, l.rng.Float64())
}

// forbid makes scores of excluded arms lower than all others.
func forbid(scores []float64, t Turn) {
	for _, a := range t.Excluded {
		if int(a) < len(scores) { // otherwise it is not offered either
			scores[a] = math.Inf(-1)
		}
	}
}

// sample draws a θ̃ around the estimate.
func (l *LinUCB) sample() {
	for i := range l.normal {
		l.normal[i] = l.beta * l.rng.NormFloat64()
	}
	copy(l.theta, l.estimate.Theta)
	score.AddTransposed(l.theta, l.estimate.Half, l.normal)
}

// raise adds β|Wx| to estimated rewards. It computes |Wx| only for arms that can have the
// greatest sum, since it is at most Reach for features of norm 1; the others count as excluded.
// This does not change the choice.
func (l *LinUCB) raise(scores []float64, t Turn) {
	reach := l.beta * l.estimate.Reach * loose
	first := 0
	for k, s := range scores {
		if s > scores[first] {
			first = k
		}
	}
	score.Squares(l.squares[:1], l.estimate.Panels, t.Features[first:first+1])
	least := scores[first] + l.beta*math.Sqrt(l.squares[0])
	least -= l.slack(least)
	l.able, l.features = l.able[:0], l.features[:0]
	for k, s := range scores {
		if s+reach < least {
			scores[k] = math.Inf(-1)
			continue
		}
		l.able, l.features = append(l.able, Arm(k)), append(l.features, t.Features[k])
	}
	squares := l.squares[:len(l.able)]
	score.Squares(squares, l.estimate.Panels, l.features)
	clear(l.features) // they are private, and for this choice only
	for i, k := range l.able {
		scores[k] += l.beta * math.Sqrt(squares[i])
	}
}

// slack returns the difference up to which scores of a size count as equal.
func (l *LinUCB) slack(s float64) float64 {
	return tie * (1 + math.Abs(s) + l.beta*l.estimate.Reach)
}

// pick returns one of the arms with the greatest score, each equally likely, for a coin in [0,
// 1). A coin is drawn even for a single arm.
func (l *LinUCB) pick(scores []float64, coin float64) Choice {
	best := scores[0]
	for _, s := range scores {
		if s > best {
			best = s
		}
	}
	best -= l.slack(best)
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
			return Choice{Arm(k), 1 / float64(n)}
		}
		nth--
	}
	return Choice{NoArm, 0} // all arms are excluded, which no caller does
}

// any picks an arm, each equally likely.
func (l *LinUCB) any(t Turn) Choice {
	scores := l.scores[:t.offered(len(l.scores))]
	clear(scores)
	forbid(scores, t)
	return l.pick(scores, l.rng.Float64())
}
