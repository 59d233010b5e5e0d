package account

import "math"

// density returns the density of the normal distribution at x.
func density(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// tail returns the probability that a normal number is above x.
func tail(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// mills returns tail(x)/density(x), Mills' ratio, for x ≥ -4. It decreases in x.
func mills(x float64) float64 {
	if x < 4 {
		return tail(x) * math.Sqrt(2*math.Pi) * math.Exp(x*x/2)
	}
	return 1 / (x + fraction(x))
}

// fall returns -mills'(x) = 1 - x·mills(x), for x ≥ -4.
func fall(x float64) float64 {
	if x < 4 {
		return 1 - x*mills(x)
	}
	k := fraction(x)
	return k / (x + k)
}

// fraction returns 1/(x + 2/(x + 3/(x + …))) for x ≥ 4, so that 1/mills(x) = x + fraction(x)
// (Laplace). Sixty terms determine every digit.
func fraction(x float64) float64 {
	k := x
	for n := 60.0; n > 1; n-- {
		k = x + n/k
	}
	return 1 / k
}

// millsDrop returns mills(x) - mills(x+d) for x ≥ -4 and d ≥ 0. For a short drop it integrates
// fall with Gauss and Legendre's eight points, since the difference would cancel.
func millsDrop(x, d float64) float64 {
	if d > 0.5 {
		return mills(x) - mills(x+d)
	}
	sum := 0.0
	for _, p := range [4][2]float64{
		{0.1834346424956498, 0.3626837833783620},
		{0.5255324099163290, 0.3137066458778873},
		{0.7966664774136267, 0.2223810344533745},
		{0.9602898564975363, 0.1012285362903763},
	} {
		sum += p[1] * (fall(x+d*(1-p[0])/2) + fall(x+d*(1+p[0])/2))
	}
	return sum * d / 2
}
