package account

import "math"

// What ρ-zCDP promises, as a second opinion on μ: no charge is computed from it.

const (
	maxRho = maxMu * maxMu / 2
	minRho = minMu * minMu / 2
)

// Check refuses a ρ out of range.
func (r Rho) Check() error {
	if r == 0 {
		return nil
	}
	return within("rho", float64(r), minRho, maxRho)
}

// Delta returns a δ for which everything with ρ is (ε, δ)-private, the least known in closed form
// (Canonne, Kamath and Steinke 2020, Corollary 13).
func (r Rho) Delta(epsilon float64) (float64, error) {
	if err := r.Check(); err != nil {
		return 0, err
	}
	if err := within("epsilon", epsilon, 0, maxEpsilon); err != nil {
		return 0, err
	}
	return concentratedDelta(float64(r), epsilon), nil
}

// Epsilon returns the least ε for which [Rho.Delta] is at most δ.
func (r Rho) Epsilon(delta float64) (float64, error) {
	if err := r.Check(); err != nil {
		return 0, err
	}
	return epsilonOf(delta, func(epsilon float64) float64 { return concentratedDelta(float64(r), epsilon) })
}

// concentratedDelta returns the least over α > 1 of
//
//	exp((α-1)(αρ-ε) + α·ln(1-1/α)) / (α-1).
//
// Every α gives a valid δ, so a search that ends near the least one is safe.
func concentratedDelta(rho, epsilon float64) float64 {
	if rho == 0 {
		return 0
	}
	lo, hi := -50.0, math.Log((epsilon+1)/(2*rho)+2)
	for range 100 { // the search cuts the interval of ln(α-1) into thirds
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		ea, _ := concentratedLog(rho, epsilon, a)
		eb, _ := concentratedLog(rho, epsilon, b)
		if ea < eb {
			hi = b
		} else {
			lo = a
		}
	}
	e, size := concentratedLog(rho, epsilon, lo)
	return min(1, math.Nextafter(math.Exp(e+(8+size)*0x1p-49), 1))
}

// concentratedLog returns the logarithm of that expression at α = 1 + e^u, and the sum of the
// magnitudes of its terms, for its rounding.
func concentratedLog(rho, epsilon, u float64) (e, size float64) {
	over := math.Exp(u)
	gain, loss := over*(1+over)*rho, over*epsilon
	bulk, rest := over*math.Log1p(math.Exp(-u)), math.Log1p(over)
	return gain - loss - bulk - rest, gain + loss + bulk + rest + math.Abs(u)
}
