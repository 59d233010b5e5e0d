package audit

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// The functions below return the probability that a correct distribution gives a result at least
// as bad.

// normal is for a standard normal number, two-sided.
func normal(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// bins is the number of parts of [0,1) in which numbers are counted.
const bins = 1 << 14

// kolmogorov is for n numbers that should be uniform in [0,1).
func kolmogorov(count *[bins]uint32, n int) float64 {
	sum, d := 0., 0.
	for i, c := range count {
		sum += float64(c) / float64(n)
		d = max(d, math.Abs(sum-float64(i+1)/bins))
	}
	root := math.Sqrt(float64(n))
	x := (root + .12 + .11/root) * d
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

// chiSquare is for n numbers that should be uniform in [0,1), by 32nds.
func chiSquare(count *[bins]uint32, n int) float64 {
	const parts = 32
	want, sum := float64(n)/parts, 0.
	for part := range parts {
		c := 0.
		for _, k := range count[part*bins/parts : (part+1)*bins/parts] {
			c += float64(k)
		}
		sum += (c - want) * (c - want) / want
	}
	return distuv.ChiSquared{K: parts - 1}.Survival(sum)
}

// atLeastSeen is for n or more events if mean are expected.
func atLeastSeen(n int, mean float64) float64 {
	if n == 0 {
		return 1
	}
	return 1 - distuv.Poisson{Lambda: mean}.CDF(float64(n-1))
}
