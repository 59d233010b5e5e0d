// Package lowerbound computes how much regret no private learner can avoid.
package lowerbound

import "math"

// A Bound is the asymptotic lower bound on the regret of one peer: the sum over arms of gap ·
// ln(rounds) / I. An arm counts with at most the pulls that random choices give it: few rounds do
// not distinguish arms with nearly equal means, and no learner needs to be worse than random.
//
// I is the information that a pull of the arm at every site gives against the worlds in which the
// arm is as good as the best one: the least Σᵢ d(pᵢ, qᵢ) over qᵢ with that mean. If no such world
// is possible, I is +Inf, and the arm costs nothing.
//
// The divergence d(p, q) = inf over r of ε|p - r| + KL(r, q) is the one of Azize, Wu, Honda,
// Orabona, Ito and Basu 2025 for one site. Without noise and at one site this is the bound of Lai
// and Robbins 1985.
type Bound struct {
	arms  float64 // number of arms
	worse []arm
}

// arm is an arm that is worse than the best.
type arm struct{ gap, information float64 }

// New returns the bound for rewards of 0 or 1 with the probabilities means[site][arm] of a 1, in
// [0, 1]; the best arm has the greatest mean over sites. Peers see everything that the others
// release, and all pull an arm equally often. Each record is protected with epsilon, > 0 and
// possibly infinite, and delta 0.
func New(means [][]float64, epsilon float64) Bound {
	arms := make([]float64, len(means[0]))
	best := 0.0
	for k := range arms {
		for _, site := range means {
			arms[k] += site[k] / float64(len(means))
		}
		best = max(best, arms[k])
	}
	b := Bound{arms: float64(len(arms))}
	p := make([]float64, len(means))
	for k, mean := range arms {
		if mean == best {
			continue
		}
		for i, site := range means {
			p[i] = site[k]
		}
		b.worse = append(b.worse, arm{best - mean, information(p, best, epsilon)})
	}
	return b
}

// Regret returns the bound after a number of rounds, in rewards.
func (b Bound) Regret(rounds uint64) float64 {
	sum, t := 0.0, float64(rounds)
	for _, a := range b.worse {
		sum += a.gap * min(t/b.arms, math.Log(t)/a.information)
	}
	return sum
}

// information returns the least Σᵢ d(pᵢ, qᵢ) over qᵢ with the given mean, which is greater than
// the mean of p. At the least, by Lagrange, the slope ∂d/∂q is the same at all sites: the greater
// the slope, the greater all qᵢ.
func information(p []float64, mean, epsilon float64) (d float64) {
	at := func(slope float64) (q float64) {
		for _, x := range p {
			q += tangent(x, slope, epsilon) / float64(len(p))
		}
		return q
	}
	low, high := 0.0, 1.0
	for at(high) < mean {
		if low, high = high, 2*high; math.IsInf(high, 1) {
			return high
		}
	}
	for middle := (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2 {
		if at(middle) < mean {
			low = middle
		} else {
			high = middle
		}
	}
	for _, x := range p {
		d += divergence(x, tangent(x, high, epsilon), epsilon)
	}
	return d
}

// tangent returns the q in [p, 1] at which d(p, q) has a slope > 0, or p or 1 if there is none.
// As long as the odds of q are at most e^ε times the odds of p, d is KL with slope
// (q-p)/(q(1-q)); beyond that, its slope is c/(1-cq) with c = 1 - e^-ε.
func tangent(p, slope, epsilon float64) float64 {
	c := -math.Expm1(-epsilon)
	if q := min(1, 1/c-1/slope); q > p && nearest(q, epsilon) >= p {
		return q
	}
	b := slope - 1
	if b >= 0 {
		return min(1, max(p, (b+math.Sqrt(b*b+4*slope*p))/(2*slope)))
	}
	return min(1, max(p, 2*p/(math.Sqrt(b*b+4*slope*p)-b)))
}

// divergence returns d(p, q) for 0 ≤ p ≤ q ≤ 1.
func divergence(p, q, epsilon float64) float64 {
	r := max(p, nearest(q, epsilon))
	if r == p {
		return relativeEntropy(p, q)
	}
	return epsilon*(r-p) + relativeEntropy(r, q)
}

// nearest returns the r below q at which KL(r, q) changes as fast as ε·r: its odds are e^-ε times
// the odds of q.
func nearest(q, epsilon float64) float64 {
	if q == 1 {
		return 1
	}
	return q * math.Exp(-epsilon) / (1 + q*math.Expm1(-epsilon))
}

// relativeEntropy returns KL(p, q) of two probabilities of a 1, in nats.
func relativeEntropy(p, q float64) float64 {
	term := func(x, y float64) float64 {
		if x == 0 {
			return 0
		}
		return x * math.Log(x/y)
	}
	return term(p, q) + term(1-p, 1-q)
}
