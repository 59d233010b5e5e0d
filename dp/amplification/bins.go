package amplification

import "math"

// Bins is a pair of worlds, which differ in one of m reports, after all that an analyzer learns from shuffled reports
// was reduced to two numbers: how many reports fell into bin 0 and into bin 1. The one report falls into them with
// probabilities P·Alpha and Alpha in one world and with Alpha and P·Alpha in the other; every other report falls into
// each with probability R. P is at least 1; Alpha·(1+P) and 2·R are at most 1.
type Bins struct{ P, Alpha, R float64 }

// Clones returns the bins of reports that are ε-private for a record and blanket-private for all records of a
// silo, pure in both. With probability e^-blanket another silo's report is a clone of the one report, from either world alike.
// Both are 0 or more; with a blanket above 745 there are no clones. For one record a report, where the two
// are equal, it is the bound of Feldman, McMillan and Talwar (2021).
func Clones(epsilon, blanket float64) Bins {
	p := math.Exp(epsilon)
	return Bins{P: p, Alpha: 1 / (p + 1), R: math.Exp(-blanket) / 2}
}

// Sums leave out tails: of the number in both bins, and within it of the number in bin 0, each with a probability
// of at most e^-40. cut is more than these together and what cancels in a difference.
const (
	exponent = 40
	cut      = 1e-15
)

// Delta returns a δ for which m shuffled reports are (ε, δ)-private, m from 1 to 10^6 and ε ≥ 0: the sum of
// max(0, P - e^ε·Q) over both numbers, too large by [cut] and a relative 10^-8 at most. The time that it takes grows like m.
//
// With t in both bins, k of them in bin 0, w the binomial law of the number of clones and b the law of k given t,
//
//	P(k, t) = b(k)·(w(t-1)·2·Alpha·(P·k + t - k)/t + w(t)·(1 - Alpha - P·Alpha)),
//
// and Q has k and t-k exchanged. P/Q grows in k.
func (b Bins) Delta(m int, epsilon float64) float64 {
	e, rest, others := math.Exp(epsilon), max(0, 1-b.Alpha*(1+b.P)), float64(m-1)
	mean := others * 2 * b.R
	wide := exponent/3. + math.Sqrt(exponent*exponent/9.+2*exponent*mean*(1-2*b.R)) // Bernstein
	sum, before := 0., 0.
	first, last := math.Floor(max(0, mean-wide)), math.Ceil(min(others, mean+wide))
	for t := first; t <= last+1; t++ {
		now := 0.
		if t <= last {
			now = binomial(others, t, 2*b.R)
		}
		one, none := before*2*b.Alpha/max(t, 1), now*rest
		before = now
		if one == 0 {
			continue
		}
		sum += overhang(t, e, one, none, b.P)
	}
	return min(1, sum*(1+0x1p-48*float64(m)*math.Log(float64(m)+1)+0x1p-40)+cut)
}

// overhang returns the sum over k of max(0, P(k, t) - e·Q(k, t)) with the factors one of P·k + t - k and none of 1.
func overhang(t, e, one, none, p float64) (sum float64) {
	half := math.Sqrt(exponent * t / 2) // Hoeffding
	reached := (one*t*(e*p-1) + none*(e-1)) / (one * (p - 1) * (1 + e))
	k := max(0, math.Floor(t/2-half), math.Floor(reached))
	if !(k <= t) {
		return 0
	}
	last := math.Ceil(min(t, t/2+half))
	for chance := binomial(t, k, .5); k <= last; k++ {
		sum += chance * max(0, one*(p*k+t-k)+none-e*(one*(k+p*(t-k))+none))
		chance *= (t - k) / (k + 1)
	}
	return sum
}

// binomial returns the probability of k among n with probability p each.
func binomial(n, k, p float64) float64 {
	switch {
	case p <= 0 && k == 0, p >= 1 && k == n:
		return 1
	case p <= 0, p >= 1:
		return 0
	}
	return math.Exp(factorial(n) - factorial(k) - factorial(n-k) + k*math.Log(p) + (n-k)*math.Log1p(-p))
}

// factorial returns ln n!.
func factorial(n float64) float64 {
	l, _ := math.Lgamma(n + 1)
	return l
}

// epsilon returns the least ε for which [Bins.Delta] of m reports is at most δ, rounded up by a relative off at most, and ln P where
// that is less: the one report is (ln P)-private alone.
func (b Bins) epsilon(m int, delta, off float64) float64 {
	if b.Delta(m, 0) <= delta {
		return 0
	}
	lo, hi := 0., math.Log(b.P)
	for hi-lo > off*hi {
		if mid := (lo + hi) / 2; b.Delta(m, mid) <= delta {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
