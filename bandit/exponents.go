package bandit

import "math"

// exponents are the exponents with which the evidence speaks against every arm: of the probability
// that its estimate is as low as it is, if its mean were the greatest estimate of all.
type exponents struct {
	best  float64   // the greatest estimate of the arms that may be chosen
	known []moments // by arm, from which the exponent was computed
	from  float64   // the greatest estimate for which they hold
	d     []float64 // by arm; +Inf for arms that must not be chosen for what they may be
	cache []float64 // by arm, also of arms that are excluded
	e     evidence  // scratch
}

func newExponents(arms int) exponents {
	return exponents{known: make([]moments, arms), d: make([]float64, arms), cache: make([]float64, arms), from: math.NaN()}
}

// renew computes the exponents of known arms. An estimate is within [0,1] except for noise, and so is
// the greatest one here. An arm of which the peer is ahead has +Inf unless it is the best: there is
// nothing to find out here. So have excluded arms.
func (x *exponents) renew(b *Belief, t *Turn) {
	x.best = math.Inf(-1)
	for k, y := range b.X {
		if b.Known(k) && !t.excludes(k) {
			x.best = max(x.best, y)
		}
	}
	if q := max(0, min(x.best, 1)); q != x.from {
		x.from = q
		for k := range x.known {
			x.known[k] = moments{sampleVar: -1}
		}
	}
	for k := range x.d {
		if !b.Known(k) || t.excludes(k) || b.IsAhead(k) && b.X[k] < x.best {
			x.d[k] = math.Inf(1)
			continue
		}
		if m := momentsOf(b, k); m != x.known[k] {
			x.known[k], x.cache[k] = m, 0
			if b.X[k] < x.from {
				s := 0.
				x.e.take(b, k)
				x.cache[k] = x.e.exponent(x.from, &s)
			}
		}
		x.d[k] = x.cache[k]
	}
}
