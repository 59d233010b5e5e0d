package bandit

import "math"

// exponents are the exponents with which the evidence speaks against every arm: of the probability
// that its estimate is as low as it is, if its mean were the greatest estimate of all. An exponent is
// computed when it is asked for; before, there is a bound of it, which is cheap.
type exponents struct {
	best  float64   // the greatest estimate of the arms that may be chosen
	known []moments // by arm, of which the others are computed
	logs  []float64 // by arm, the logarithm of the number of rewards
	from  float64   // the greatest estimate for which exponents hold
	least []float64 // by arm, the exponent, or a bound below it
	exact []bool    // by arm, whether it is the exponent
	rests []bool    // by arm, whether it must not be chosen for what it may be
	e     evidence  // scratch

	index    []float64 // by arm; see indices
	greatest float64
}

func newExponents(arms int) exponents {
	return exponents{
		known: make([]moments, arms), logs: make([]float64, arms), from: math.NaN(),
		index: make([]float64, arms), greatest: math.Inf(-1), least: make([]float64, arms), exact: make([]bool, arms), rests: make([]bool, arms),
	}
}

// renew takes the estimates of a belief, and reports whether anything is other than before. An estimate is
// within [0,1] except for noise, and so is the greatest one here. An arm of which the peer is ahead rests
// unless it is the best: there is nothing to find out here. So do unknown and excluded arms.
func (x *exponents) renew(b *Belief, t *Turn) (changed bool) {
	x.best = math.Inf(-1)
	for k, y := range b.X {
		if y > x.best && b.Known(k) && !t.Excludes(k) {
			x.best = y
		}
	}
	return x.renewAt(b, t, x.best)
}

// renewAt takes a greatest mean in place of the greatest estimate.
func (x *exponents) renewAt(b *Belief, t *Turn, q float64) (changed bool) {
	q = max(0, min(q, 1))
	other := q != x.from
	x.from = q
	for k := range x.known {
		rests := !b.Known(k) || t.Excludes(k) || b.IsAhead(k) && b.X[k] < x.best
		same := x.known[k].are(b, k)
		if same && !other && rests == x.rests[k] {
			continue
		}
		changed = true
		x.rests[k] = rests
		if !same {
			x.known[k], x.logs[k] = momentsOf(b, k), -math.Log(b.SampleVar[k])
		}
		if !same || other {
			x.least[k], x.exact[k] = x.known[k].atLeast(q), b.X[k] >= q
		}
	}
	return changed
}

// atLeast returns a bound of the exponent of a mean of q from below: the moment generating function of a
// reward between 0 and 1 is at most the one of a normal reward of variance 1/4 (Hoeffding). The exponent of all
// noise is at most as if every term had the greatest scale.
func (m *moments) atLeast(q float64) float64 {
	gap := q - m.y
	if gap <= 0 {
		return 0
	}
	s := gap / (m.sampleVar/4 + 2*m.v + m.g)
	x := 0.
	if m.b > 0 {
		s = min(s, .9/m.b)
		x = m.v / (m.b * m.b) * math.Log1p(-m.b*m.b*s*s)
	}
	return max(0, s*gap-(m.sampleVar/4+m.g)*s*s/2+x)
}

// rounding is more than what rounding adds to a bound, relative to it.
const rounding = 1e-6

// of returns the exponent of an arm if it is at most a limit, and otherwise a number above the limit,
// +Inf for arms that rest.
func (x *exponents) of(b *Belief, k int, limit float64) float64 {
	switch {
	case x.rests[k]:
		return math.Inf(1)
	case !x.exact[k] && x.least[k]*(1-rounding)-rounding <= limit:
		s := 0.
		x.e.take(b, k)
		x.least[k], x.exact[k] = x.e.exponent(x.from, &s), true
	}
	return x.least[k]
}

// indices sets index to the negative of D + ln n of every arm, and greatest to the greatest one. An index
// that is lower than this by more than a number of nats is computed with a bound of D: it is lower still.
func (x *exponents) indices(b *Belief, t *Turn, nats float64) {
	if !x.renew(b, t) {
		return
	}
	x.greatest = math.Inf(-1)
	for k, exact := range x.exact {
		if exact && !x.rests[k] {
			x.greatest = max(x.greatest, -x.logs[k]-x.least[k])
		}
	}
	for k := range x.index {
		if x.rests[k] {
			x.index[k] = math.Inf(-1)
			continue
		}
		x.index[k] = -x.logs[k] - x.of(b, k, nats-x.greatest-x.logs[k])
		x.greatest = max(x.greatest, x.index[k])
	}
}
