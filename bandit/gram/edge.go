package gram

import "math"

// edge returns an x that the greatest eigenvalue of a symmetric d×d matrix exceeds with a
// probability of at most alpha, above 0 and below 1. Entries are independent and normal, of
// variance 1 on the diagonal and ½ off it. It is at least √(2d-1).
func edge(d int, alpha float64) float64 {
	low := math.Sqrt(float64(2*d - 1))
	if above(d, low) <= alpha {
		return low
	}
	high := low + 1
	for above(d, high) > alpha {
		high++
	}
	for high-low > 1e-9*high {
		if middle := (low + high) / 2; above(d, middle) <= alpha {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// above bounds the mean number of eigenvalues of such a matrix above x, and so the probability
// that there is one, for x of at least √(2d-1). The density of eigenvalues is known (Mehta 2004,
// section 7.2): with Hermite functions φₖ, which are orthonormal, and n = d-1, it is
//
//	Σφₖ(x)² - √(d/2) φₙ(x) ∫φ_d + c φₙ(x),  k from 0 to n, ∫ from x on,
//
// with c = √(d/2)/2 times the integral of φ_d over all numbers if d is even, and 1 over the
// integral of φₙ if it is odd. docs/proofs/linear.md shows that the second term is at least half
// the first, so the bound is half the integral of the first plus the integral of the last. All
// terms are positive, so no digit is lost however great x is.
func above(d int, x float64) float64 {
	const first = 0.7511255444649425                                       // π^(-¼)
	older, phi := 0., first*math.Exp(-x*x/2)                               // φₖ₋₁, φₖ
	before, tail := 0., first*math.Sqrt(math.Pi/2)*math.Erfc(x/math.Sqrt2) // their integrals from x on
	square := math.Erfc(x) / 2                                             // the integral of φₖ²
	squares := square
	whole := math.Sqrt2 / first // the integral over all numbers of the last φₖ of even k; it is 0 for odd k
	for k := range d - 1 {
		up, down := math.Sqrt(float64(k+1)/2), math.Sqrt(float64(k)/2)
		next := (x*phi - down*older) / up
		square += phi * next / (2 * up)
		squares += square
		before, tail = tail, (phi+down*before)/up
		older, phi = phi, next
		if k%2 == 1 {
			whole *= down / up
		}
	}
	c := 1 / whole
	if d%2 == 0 {
		c = math.Sqrt(float64(d-1)/2) * whole / 2
	}
	return c*tail + squares/2
}
