package bandit

import (
	"math"

	"peerd.dev/bandit/belief"
)

// evidence is what is known of one arm: the mean y over some sites of their released means, and
// what each of these rests on. Sites of which the same is known count together.
type evidence struct {
	y     float64
	count float64 // number of sites
	sites []siteEvidence
	top   float64 // upper bound of the arguments s of the exponent
	even  float64 // multiplier of the inner maximum, with which the next search begins
}

// siteEvidence is the evidence of sites of which the same is known, with what the search last computed for it.
type siteEvidence struct {
	belief.Site
	count float64 // number of sites
	x     float64 // s/n
	fall  float64 // e^-x - 1
	r     float64 // 1/(1-e^-x) - 1/x, from 1/2 to 1
	q     float64 // the mean in the inner maximum
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
	e.y, e.count, e.sites, e.top, e.even = y, float64(len(sites)), e.sites[:0], 0, 0
	for _, s := range sites {
		e.add(s)
		e.top = max(e.top, 700*s.N) // beyond it e^-x is negligible
	}
	for _, s := range sites {
		if s.LaplaceMax > 0 {
			e.top = min(e.top, 1/s.LaplaceMax)
		}
	}
}

// kinds is how many of the kinds of sites that came last a site is compared with. Sites that are in step differ by a batch.
const kinds = 8

// add counts a site with others of which the same is known.
func (e *evidence) add(s belief.Site) {
	for i := len(e.sites) - 1; i >= max(0, len(e.sites)-kinds); i-- {
		if c := &e.sites[i]; c.N == s.N && c.LaplaceSumSq == s.LaplaceSumSq && c.LaplaceMax == s.LaplaceMax && c.GaussVar == s.GaussVar {
			c.count++
			return
		}
	}
	e.sites = append(e.sites, siteEvidence{Site: s, count: 1})
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
	// The exponent is convex in q, so Newton's steps come from above after the first. The search begins where it would end with normal errors.
	lo, hi := max(0, min(e.y, 1)), 1.
	q := e.y + math.Sqrt(2*l*e.variance())
	if !(q > lo && q < hi) {
		q = lo + (hi-lo)/2
	}
	s = e.argument(q)
	for part := .1; part > 1e-60; part /= 10 {
		at, next, gain := e.climb(q, s, max(part, 1e-5))
		x, slope := e.at(at), e.slope(at)
		step := (x + gain - l) / slope
		if max(math.Abs(step), gain/slope) < 1e-8 {
			return q - step
		}
		if x > l {
			hi = q
		}
		switch last := q; {
		case last-step >= hi:
			q = (last + hi) / 2
		case last-step > lo:
			q = last - step
		default: // also NaN
			q = lo + (last-lo)/2
		}
		s = next
	}
	return q
}

// rulesOut reports that the exponent of a mean q up to 1 is over l, so that the index is below q; or that this is not certain.
func (e *evidence) rulesOut(q, l float64) bool {
	if q <= e.y {
		return false
	}
	at, _, _ := e.climb(q, e.argument(q), .1)
	return e.at(at) > l
}

// argument returns the argument of the supremum if errors were normal.
func (e *evidence) argument(q float64) float64 { return (q - e.y) / (e.variance() * e.count) }

// variance returns the greatest variance of y.
func (e *evidence) variance() float64 {
	v := 0.
	for i := range e.sites {
		c := &e.sites[i]
		v += c.count * (.25/c.N + 2*c.LaplaceSumSq + c.GaussVar)
	}
	return v / (e.count * e.count)
}

// slope returns the derivative of the exponent in q, at the last argument.
func (e *evidence) slope(s float64) float64 {
	return e.count / (1/s + e.even)
}

// exponent returns the supremum over s and its argument. The function is concave in s and 0 at 0.
func (e *evidence) exponent(q float64, at *float64) float64 {
	if q <= e.y { // the mean is not below q
		*at = 0
		return 0
	}
	if c := &e.sites[0]; len(e.sites) == 1 && c.count == 1 && c.LaplaceSumSq == 0 && c.GaussVar == 0 && q > 0 && q < 1 && e.y >= 0 {
		return c.N * relative(e.y, q) // Chernoff's bound for one site without noise
	}
	// The exponent is flat at its maximum: an error in s counts squared.
	_, *at, _ = e.climb(q, *at, 1e-5)
	e.share(q, *at)
	if x := e.at(*at); x > -1 { // more than rounding takes from 0
		return x
	}
	return 0 // after an overflow, which takes a lie: nothing speaks against the arm
}

// relative returns the relative entropy of a reward of 0 or 1 with mean y from one with mean q, over 0 and below 1.
func relative(y, q float64) (x float64) {
	if y > 0 {
		x = y * math.Log(y/q)
	}
	if y < 1 {
		x += (1 - y) * math.Log((1-y)/(1-q))
	}
	return max(0, x)
}

// climb makes Newton's steps from s towards the argument of the supremum until one is at most a part of s. It returns where the last
// step begins, for which the inner maximum is then known, where it ends, and what it adds to the function up to the third order.
func (e *evidence) climb(q, s, part float64) (at, next, gain float64) {
	lo, hi := 0., e.top
	if !(s > lo && s < hi) {
		s = hi / 2
	}
	for range 60 {
		e.share(q, s)
		d, dd := e.slopes(s)
		if d > 0 {
			lo = s
		} else {
			hi = s
		}
		next = s - d/dd
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		at, gain = s, (next-s)*(d+dd*(next-s)/2)
		if math.Abs(next-s) <= part*s {
			break
		}
		s = next
	}
	return at, next, gain
}

// at returns the exponent at s, for the inner maximum that share found last.
func (e *evidence) at(s float64) float64 {
	x := -e.count * s * e.y
	for i := range e.sites {
		c := &e.sites[i]
		one := 0.
		switch {
		case c.q >= 1:
			one += s
		case c.q > 0:
			one -= c.N * math.Log1p(c.q*c.fall)
		}
		if b := c.LaplaceMax; b > 0 {
			one += c.LaplaceSumSq / (b * b) * math.Log1p(-b*b*s*s)
		}
		x += c.count * (one - c.GaussVar*s*s/2)
	}
	return x
}

// slopes returns the first two derivatives of the exponent in s, for the inner maximum that share found last.
func (e *evidence) slopes(s float64) (first, second float64) {
	first = -e.count * e.y
	var free, n, r, wn, wr float64 // sums over sites whose means the inner maximum moves with s: by r' less their part of the sum of r'
	for i := range e.sites {
		c := &e.sites[i]
		p := 1.
		if c.q < 1 {
			z := 1 + c.fall
			p = c.q * z / (1 - c.q + c.q*z)
			if c.q > 0 {
				rise := (1./12 - c.x*c.x/240) / c.N
				if c.x > .03 {
					rise = (1/(c.x*c.x) - z/((1-z)*(1-z))) / c.N
				}
				w := c.count * p * (1 - p) / (c.q * (1 - c.q))
				free, n, r, wn, wr = free+1, n+c.count*c.N, r+c.count*rise, wn+w*c.N, wr+w*rise
			}
		}
		one, two := p-c.GaussVar*s, -p*(1-p)/c.N-c.GaussVar
		if b := c.LaplaceMax; b > 0 {
			w := b * b * s * s
			one -= 2 * c.LaplaceSumSq * s / (1 - w)
			two -= 2 * c.LaplaceSumSq * (1 + w) / ((1 - w) * (1 - w))
		}
		first += c.count * one
		second += c.count * two
	}
	if free > 1 {
		second += max(4*second, min(0, wr-wn*r/n)) // where a mean leaves 1 it is far greater, in a range that a step must not end in
	}
	return first, second
}

// share finds the sites' means qᵢ, with mean q, for which Σ nᵢ ln(1 - qᵢ + qᵢ e^(-s/nᵢ)) is
// greatest. It is concave in them, so if none of them is 0 or 1 the derivatives are equal: qᵢ =
// rᵢ - nᵢ·even for one number even, clipped to [0, 1]. The sum of the qᵢ decreases in even
// piecewise linearly, so Newton's steps within the bracket end in the right piece. A step to an end of the
// bracket does not count: two steps could lead to each other's beginning for ever.
func (e *evidence) share(q, s float64) {
	if q <= 0 || q >= 1 {
		for i := range e.sites {
			e.sites[i].q = max(0, min(q, 1))
		}
		return
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range e.sites {
		c := &e.sites[i]
		c.x = s / c.N
		c.fall = math.Expm1(-c.x)
		if c.x < 1e-4 {
			c.r = .5 + c.x/12
		} else {
			c.r = -1/c.fall - 1/c.x
		}
		lo, hi = min(lo, (c.r-1)/c.N), max(hi, c.r/c.N)
	}
	want := q * e.count
	if !(e.even > lo && e.even < hi) {
		e.even = lo + (hi-lo)/2
	}
	for range 100 {
		sum, fall := 0., 0.
		for i := range e.sites {
			c := &e.sites[i]
			c.q = c.r - c.N*e.even
			if c.q >= 0 && c.q <= 1 {
				fall += c.count * c.N
			}
			c.q = max(0, min(c.q, 1))
			sum += c.count * c.q
		}
		off := sum - want
		if math.Abs(off) <= 1e-13*e.count {
			return
		}
		if off > 0 {
			lo = e.even
		} else {
			hi = e.even
		}
		next := e.even + off/fall
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if next == e.even {
			return
		}
		e.even = next
	}
}
