package audit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// law is the discrete Laplace law of a scale: P(x) ∝ exp(-|x|/b).
type law struct {
	q, one float64 // exp(-1/b), and 1 less it
}

func newLaw(scale uint64) law {
	return law{math.Exp(-1 / float64(scale)), -math.Expm1(-1 / float64(scale))}
}

// p returns P(x).
func (l law) p(x int64) float64 { return l.one / (1 + l.q) * math.Pow(l.q, math.Abs(float64(x))) }

// below returns P(X < x).
func (l law) below(x int64) float64 {
	if x <= 0 {
		return math.Pow(l.q, float64(1-x)) / (1 + l.q)
	}
	return 1 - math.Pow(l.q, float64(x))/(1+l.q)
}

// spread returns a number that is uniform in [0,1) if x has the law and v is.
func (l law) spread(x int64, v float64) float64 { return l.below(x) + v*l.p(x) }

// size returns the mean and the variance of |X|.
func (l law) size() (mean, variance float64) {
	mean = 2 * l.q / (l.one * (1 + l.q))
	return mean, 2*l.q/(l.one*l.one) - mean*mean
}

// The tests below return probabilities that a right law looks as bad as this.

// normal is that of a standard normal number, on both sides.
func normal(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// kolmogorov is that of numbers which should be uniform in [0,1). It sorts them.
func kolmogorov(u []float64) float64 {
	slices.Sort(u)
	n, d := float64(len(u)), 0.
	for i, x := range u {
		d = max(d, x-float64(i)/n, float64(i+1)/n-x)
	}
	x := (math.Sqrt(n) + .12 + .11/math.Sqrt(n)) * d
	if x < .2 {
		return 1
	}
	p, sign := 0., 1.
	for k := 1.; k <= 20; k++ {
		p += 2 * sign * math.Exp(-2*k*k*x*x)
		sign = -sign
	}
	return min(1, max(0, p))
}

// chiSquare is that of numbers which should be uniform in [0,1).
func chiSquare(u []float64) float64 {
	const cells = 32
	var count [cells]float64
	for _, x := range u {
		count[min(cells-1, int(x*cells))]++
	}
	want, sum := float64(len(u))/cells, 0.
	for _, c := range count {
		sum += (c - want) * (c - want) / want
	}
	return distuv.ChiSquared{K: cells - 1}.Survival(sum)
}

// atLeastSeen is that of n or more where mean are expected.
func atLeastSeen(n int, mean float64) float64 {
	if n == 0 {
		return 1
	}
	return 1 - distuv.Poisson{Lambda: mean}.CDF(float64(n-1))
}
