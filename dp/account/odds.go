package account

import "math"

// Chance bounds the probability with which an attacker, to whom two neighbours were equally
// likely before, names the right one after seeing everything that is released: (1+δ(0))/2, which
// is Φ(μ/2) for a μ. For a pure ε it is e^ε/(1+e^ε), which is also a bound on how sure any single
// release can make the attacker.
func (l Loss) Chance() (float64, error) {
	if err := l.Check(); err != nil {
		return 0, err
	}
	return up((1+l.delta(0))/2, 4), nil
}

// Power bounds the probability with which an attacker, using everything that is released, detects
// a fact, if it claims the fact wrongly with probability at most wrong: the least of e^ε·wrong +
// δ(ε) over ε of either sign. For a μ that is Φ(Φ⁻¹(wrong)+μ).
//
// The function is convex in e^ε. Every ε gives a valid bound, so a search that ends near the
// least one is safe.
func (l Loss) Power(wrong float64) (float64, error) {
	if err := l.Check(); err != nil {
		return 0, err
	}
	if err := within("probability", wrong, 0, 1); err != nil {
		return 0, err
	}
	bound := func(epsilon float64) float64 { return math.Exp(epsilon)*wrong + l.deltaAny(epsilon) }
	mu := float64(l.Square.Mu())
	hi := min(l.Pure.Float()+mu*(mu/2+40), 700) // e^700 is finite, and a greater factor is useless
	lo := -hi
	for range 200 { // the search cuts the interval into thirds
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if bound(a) < bound(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return up(min(bound(lo), bound(hi)), 16), nil
}

// deltaAny is delta for an ε of either sign; see [gaussianDeltaAny].
func (l Loss) deltaAny(epsilon float64) float64 {
	if epsilon >= 0 {
		return l.delta(epsilon)
	}
	return -math.Expm1(epsilon) + math.Exp(epsilon)*l.delta(-epsilon)
}
