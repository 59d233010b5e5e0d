package account

import (
	"math"
)

// A pure loss of ε makes neighbours no easier to distinguish than randomized response does: one
// coin that falls one way with probability e^ε/(1+e^ε) for one neighbour and 1/(1+e^ε) for the
// other. So what is exact for the coin is exact for the promise.

// pureEpsilon returns ε of a finite cost.
func pureEpsilon(c Cost) (float64, error) {
	return c.Float(), within("epsilon", c.Float(), 0, maxEpsilon)
}

// MuOf returns the least μ that everything ε-private has: 2·Φ⁻¹(e^ε/(1+e^ε)).
func MuOf(c Cost) (Mu, error) {
	epsilon, err := pureEpsilon(c)
	if err != nil || c == 0 {
		return 0, err
	}
	return Mu(pureMu(epsilon)), nil
}

func pureMu(epsilon float64) float64 {
	// In logarithms, since 1/(1+e^ε) underflows long before μ is out of range.
	log := -epsilon - math.Log1p(math.Exp(-epsilon))
	mu, _ := least(0x1p-40, maxMu, func(mu float64) bool {
		x := mu / 2
		at := -x*x/2 - math.Log(2*math.Pi)/2 + math.Log(mills(x))
		return at <= log-(4+math.Abs(log))*0x1p-49
	})
	return mu
}

// RhoOf returns the least ρ that everything ε-private has: ε·tanh(ε/2).
func RhoOf(c Cost) (Rho, error) {
	epsilon, err := pureEpsilon(c)
	if err != nil {
		return 0, err
	}
	return Rho(epsilon * math.Tanh(epsilon/2) * (1 + 0x1p-49)), nil
}

// pureDelta returns the least δ for which a pure-private release is (ε, δ)-private, where
// difference is ε - pure.
func pureDelta(pure, difference float64) float64 {
	if difference >= 0 {
		return 0
	}
	return up(-math.Expm1(difference)/(1+math.Exp(-pure)), 16)
}
