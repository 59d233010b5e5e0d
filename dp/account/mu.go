package account

import (
	"fmt"
	"math"
)

// Mu is the parameter of Gaussian differential privacy (Dong, Roth and Su 2022): distinguishing
// two neighbours by what is released is at least as hard as distinguishing N(0, 1) and N(μ, 1) by
// one number. Gaussian noise of deviation σ on something of L2 sensitivity Δ has μ = Δ/σ.
type Mu float64

// MuFor returns the greatest μ that is (ε, δ)-private.
func MuFor(epsilon, delta float64) (Mu, error) {
	if err := within("epsilon", epsilon, 0, maxEpsilon); err != nil {
		return 0, err
	}
	if err := probability(delta); err != nil {
		return 0, err
	}
	mu, ok := greatest(1, minMu, maxMu, func(mu float64) bool { return gaussianDelta(mu, epsilon) <= delta })
	if !ok {
		return 0, fmt.Errorf("%w: no mu from %v has epsilon %v with delta %v", ErrRange, minMu, epsilon, delta)
	}
	return Mu(mu), nil
}

// Check refuses a μ out of range.
func (m Mu) Check() error {
	if m == 0 {
		return nil
	}
	return within("mu", float64(m), minMu, maxMu)
}

// Delta returns the least δ for which a release of μ is (ε, δ)-private (Balle and Wang
// 2018, Theorem 8).
func (m Mu) Delta(epsilon float64) (float64, error) {
	if err := m.Check(); err != nil {
		return 0, err
	}
	if err := within("epsilon", epsilon, 0, maxEpsilon); err != nil {
		return 0, err
	}
	return gaussianDelta(float64(m), epsilon), nil
}

// Epsilon returns the least ε for which a release of μ is (ε, δ)-private.
func (m Mu) Epsilon(delta float64) (float64, error) {
	if err := m.Check(); err != nil {
		return 0, err
	}
	return epsilonOf(delta, func(epsilon float64) float64 { return gaussianDelta(float64(m), epsilon) })
}

// epsilonOf returns the least ε at which a curve is at most δ.
func epsilonOf(delta float64, curve func(epsilon float64) float64) (float64, error) {
	if err := probability(delta); err != nil {
		return 0, err
	}
	if curve(0) <= delta {
		return 0, nil
	}
	epsilon, ok := least(1, maxEpsilon, func(epsilon float64) bool { return curve(epsilon) <= delta })
	if !ok {
		return 0, fmt.Errorf("%w: no epsilon up to %v has delta %v", ErrRange, maxEpsilon, delta)
	}
	return epsilon, nil
}

// gaussianDelta returns δ(ε; μ) = Φ(-x) - e^ε·Φ(-y), with x = ε/μ - μ/2 and y = x + μ, a little
// too large. Since e^ε·φ(y) = φ(x), this is φ(x)·(R(x) - R(y)) with Mills' ratio R, where nothing
// over- or underflows before δ does.
func gaussianDelta(mu, epsilon float64) float64 {
	if mu == 0 {
		return 0
	}
	x, y := epsilon/mu-mu/2, epsilon/mu+mu/2
	var delta float64
	if x < -1 {
		delta = tail(x) - density(x)*mills(y)
	} else {
		delta = density(x) * millsDrop(x, mu)
	}
	z := math.Abs(x) + y
	return up(delta, 16+8*z+z*z)
}

// gaussianDeltaAny is gaussianDelta for an ε of either sign: for -ε the neighbours change roles,
// and 1 - δ(-ε) = e^-ε·(1 - δ(ε)).
func gaussianDeltaAny(mu, epsilon float64) float64 {
	if epsilon >= 0 {
		return gaussianDelta(mu, epsilon)
	}
	return min(1, -math.Expm1(epsilon)+math.Exp(epsilon)*gaussianDelta(mu, -epsilon))
}

// up returns an upper bound of the exact value of p, which was computed with a relative error
// below roundings·2^-50.
func up(p, roundings float64) float64 {
	return min(1, math.Nextafter(p+p*roundings*0x1p-50, 1))
}
