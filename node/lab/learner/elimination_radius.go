package learner

import (
	"math"

	"peerd.dev/bandit"
)

// level returns ln(8Kr²/α): each side of each part of the radius of one arm fails with
// probability α/8Kr² after epoch r.
func (e *Elimination) level(r uint64) float64 {
	return math.Log(8*float64(e.N)/e.alpha) + 2*math.Log(float64(r))
}

// delta returns Δ_r, the difference that epoch r can detect.
func (e *Elimination) delta(r uint64) float64 {
	if e.p.Rounds > 0 {
		return math.Pow(e.p.Gap, float64(r)/float64(e.p.Rounds))
	}
	return math.Exp2(-float64(r))
}

// mostPulls is more than there are rounds.
const mostPulls = 1 << 62

// pulls returns S(r), the pulls of an arm by each site up to the end of epoch r (Li and Song,
// Algorithm 1, line 4). K there is the number of remaining arms, on which sites need not
// agree, and Mε is the ε of one node.
func (e *Elimination) pulls(r uint64) uint64 {
	for q := uint64(len(e.sums)); q <= r; q++ {
		l, d := e.level(q), e.delta(q)
		s := e.p.Length * max(8*l/(e.origins*d*d), 8*float64(q)*math.Sqrt(2*l)/(math.Sqrt(e.origins)*e.epsilon*d))
		next := uint64(mostPulls)
		if s < mostPulls {
			next = uint64(math.Ceil(s))
		}
		e.sums = append(e.sums, max(next, e.sums[q-1]+1))
	}
	return e.sums[r]
}

// epochRadii computes the greatest distance of means from the truth after epoch r: C(r). Two
// means are compared, so an arm is out when it is two radii behind.
func (e *Elimination) epochRadii(m *bandit.Means, r uint64) {
	l := e.level(r)
	for k, v := range m.SampleVar {
		e.radii[k] = math.Sqrt(v*l/2) + eliminationTail(m.LaplaceSumSq[k], m.LaplaceMax[k], m.GaussVar[k], l)
	}
}

// eliminationTail returns h with P(Y > h) ≤ exp(-l) for a sum Y of Laplace terms with Σ b² = v
// and max b: Chernoff's bound with -ln(1-x) ≤ 2x, for x ≤ 1/2. A Gaussian term of variance g adds
// gs²/2 to the exponent, as v = g/4 does.
func eliminationTail(v, b, g, l float64) float64 {
	v += g / 4
	if l*b*b <= v {
		return math.Sqrt(8 * v * l)
	}
	return math.Sqrt2 * (b*l + v/b)
}

// Radii implements [bandit.Bounder], for the newest epoch.
func (e *Elimination) Radii(r []bandit.Radius, b *bandit.Belief, _ uint64) []bandit.Radius {
	q := max(1, b.Epoch)
	l := e.level(q)
	e.epochRadii(&b.Means, q)
	for _, size := range e.radii {
		r = append(r, bandit.Radius{Size: size, Miss: 4 * math.Exp(-l)})
	}
	return r
}
