package bandit

import (
	"math"

	"peerd.dev/bandit/belief"
)

// evidence is what is known of one arm: the mean y over some sites of their released means, and
// what each of these rests on.
type evidence struct {
	y     float64
	sites []siteEvidence
	top   float64 // upper bound of the arguments s of the exponent
	even  float64 // multiplier of the inner maximum, with which the next search begins
}

// siteEvidence is one site's evidence, with what the search last computed for it.
type siteEvidence struct {
	belief.Site
	x, r float64 // s/n, and 1/(1-e^-x) - 1/x, from 1/2 to 1
	q    float64 // the mean in the inner maximum
}

// take sets e to what a belief knows of an arm.
func (e *evidence) take(b *Belief, k int) {
	sites := b.Sites[k]
	if len(sites) == 0 {
		sites = []belief.Site{{N: 1 / b.SampleVar[k], LaplaceSumSq: b.LaplaceSumSq[k], LaplaceMax: b.LaplaceMax[k], GaussVar: b.GaussVar[k]}}
	}
	e.set(b.X[k], sites)
}

func (e *evidence) set(y float64, sites []belief.Site) {
	e.y, e.sites, e.top, e.even = y, e.sites[:0], 0, 0
	for _, s := range sites {
		e.sites = append(e.sites, siteEvidence{Site: s})
		e.top = max(e.top, 700*s.N) // beyond it e^-x is negligible
	}
	for _, s := range sites {
		if s.LaplaceMax > 0 {
			e.top = min(e.top, 1/s.LaplaceMax)
		}
	}
}

// greatest returns the index: the greatest q with an exponent of at most l. An index over 1 is 1
// plus the level minus the exponent at 1; an index below 0 is the level minus the exponent at 0.
// Both are continuous and keep the order.
func (e *evidence) greatest(l float64) float64 {
	s := 0.
	if x := e.exponent(1, &s); x <= l {
		return 1 + l - x
	}
	if s = 0; e.y < 0 {
		if x := e.exponent(0, &s); x > l {
			return l - x
		}
	}
	lo, hi := max(0, min(e.y, 1)), 1.
	q := lo + (hi-lo)/2
	for range 60 {
		x := e.exponent(q, &s)
		if x > l {
			hi = q
		} else {
			lo = q
		}
		next := q - (x-l)/e.slope(s)
		if !(next > lo && next < hi) { // also NaN
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-q) < 1e-8 {
			return next
		}
		q = next
	}
	return q
}

// slope returns the derivative of the exponent in q, at the last argument.
func (e *evidence) slope(s float64) float64 {
	return float64(len(e.sites)) / (1/s + e.even)
}

// exponent returns the supremum over s and its argument. The function is concave in s and 0 at 0.
func (e *evidence) exponent(q float64, at *float64) float64 {
	if q <= e.y { // the mean is not below q
		*at = 0
		return 0
	}
	lo, hi := 0., e.top
	s := *at
	if !(s > lo && s < hi) {
		s = hi / 2
	}
	for range 60 {
		d, dd := e.slopes(q, s)
		if d > 0 {
			lo = s
		} else {
			hi = s
		}
		next := s - d/dd
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		// The exponent is flat at its maximum: an error in s counts squared.
		if math.Abs(next-s) <= 1e-5*s {
			s = next
			break
		}
		s = next
	}
	*at = s
	if x := e.at(q, s); x > -1 { // more than rounding takes from 0
		return x
	}
	return 0 // after an overflow, which takes a lie: nothing speaks against the arm
}

// at returns the exponent at s.
func (e *evidence) at(q, s float64) float64 {
	e.share(q, s)
	x := -float64(len(e.sites)) * s * e.y
	for i := range e.sites {
		c := &e.sites[i]
		switch {
		case c.q >= 1:
			x += s
		case c.q > 0:
			x -= c.N * math.Log1p(c.q*math.Expm1(-c.x))
		}
		if b := c.LaplaceMax; b > 0 {
			x += c.LaplaceSumSq / (b * b) * math.Log1p(-b*b*s*s)
		}
		x -= c.GaussVar * s * s / 2
	}
	return x
}

// slopes returns the first derivative of the exponent in s, and the second one as if the inner
// maximum did not move, which is closer to 0 than the true one.
func (e *evidence) slopes(q, s float64) (first, second float64) {
	e.share(q, s)
	first = -float64(len(e.sites)) * e.y
	for i := range e.sites {
		c := &e.sites[i]
		p := 1.
		if c.q < 1 {
			z := c.q * math.Exp(-c.x)
			p = z / (1 - c.q + z)
		}
		first += p - c.GaussVar*s
		second -= p*(1-p)/c.N + c.GaussVar
		if b := c.LaplaceMax; b > 0 {
			w := b * b * s * s
			first -= 2 * c.LaplaceSumSq * s / (1 - w)
			second -= 2 * c.LaplaceSumSq * (1 + w) / ((1 - w) * (1 - w))
		}
	}
	return first, second
}

// share finds the sites' means qᵢ, with mean q, for which Σ nᵢ ln(1 - qᵢ + qᵢ e^(-s/nᵢ)) is
// greatest. It is concave in them, so if none of them is 0 or 1 the derivatives are equal: qᵢ =
// rᵢ - nᵢ·even for one number even, clipped to [0, 1]. The sum of the qᵢ decreases in even
// piecewise linearly, so Newton's steps end in the right piece.
func (e *evidence) share(q, s float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range e.sites {
		c := &e.sites[i]
		c.x = s / c.N
		if c.x < 1e-4 {
			c.r = .5 + c.x/12
		} else {
			c.r = -1/math.Expm1(-c.x) - 1/c.x
		}
		lo, hi = min(lo, (c.r-1)/c.N), max(hi, c.r/c.N)
	}
	want := q * float64(len(e.sites))
	if q <= 0 || q >= 1 {
		for i := range e.sites {
			e.sites[i].q = max(0, min(q, 1))
		}
		return
	}
	if !(e.even > lo && e.even < hi) {
		e.even = lo + (hi-lo)/2
	}
	for range 100 {
		sum, fall := 0., 0.
		for i := range e.sites {
			c := &e.sites[i]
			c.q = c.r - c.N*e.even
			if c.q >= 0 && c.q <= 1 {
				fall += c.N
			}
			c.q = max(0, min(c.q, 1))
			sum += c.q
		}
		off := sum - want
		if math.Abs(off) <= 1e-13*float64(len(e.sites)) {
			return
		}
		if off > 0 {
			lo = e.even
		} else {
			hi = e.even
		}
		next := e.even + off/fall
		if !(next >= lo && next <= hi) {
			next = lo + (hi-lo)/2
		}
		if next == e.even {
			return
		}
		e.even = next
	}
}
