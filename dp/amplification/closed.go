package amplification

import (
	"fmt"
	"math"
)

// Needed returns 16 ln(2/δ): Lemma F.2 says nothing of this number of silos or fewer, whatever their noise.
func Needed(delta float64) float64 { return 16 * math.Log(2/delta) }

// Closed is Lemma F.2 of Zhou and Chowdhury (2024). The reports of m silos, each a sum over n records with Gaussian
// noise that is (ε0, δ0)-private for one record and (n·ε0, δ0)-private for all n, are shuffled. They are
// (epsilon, total)-private for one record, with p = e^ε0 and q = e^(n·ε0):
//
//	epsilon = ln(1 + (p-1)/(p+1)·(8√(q·ln(4/δ)/m) + 8q/m)),
//	total = (p-1)/(p+1)·δ + m·(e^epsilon + 1)·(1 + e^-ε0/2)·δ0.
//
// It is an error unless n·ε0 ≤ ln(m/(16 ln(2/δ))). [Bins.Epsilon] of [Clones] is 2 to 4 times less than epsilon.
func Closed(epsilon0, delta0, n float64, m int, delta float64) (epsilon, total float64, err error) {
	silos := float64(m)
	if most := math.Log(silos / Needed(delta)); !(n*epsilon0 <= most) {
		return 0, 0, fmt.Errorf("amplification: %v records of epsilon %v each in reports of %d silos, want the product of records and epsilon to be at most ln(M/(16 ln(2/delta))) = %.3g", n, epsilon0, m, most)
	}
	q, odds := math.Exp(n*epsilon0), math.Tanh(epsilon0/2)
	epsilon = math.Log1p(odds * (8*math.Sqrt(q*math.Log(4/delta)/silos) + 8*q/silos))
	return epsilon, odds*delta + silos*(math.Exp(epsilon)+1)*(1+math.Exp(-epsilon0)/2)*delta0, nil
}
