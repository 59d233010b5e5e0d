package bandit

import (
	"math"

	"peerd.dev/bandit/gram"
)

// zhouChowdhury returns the estimate (V+λI)⁻¹B and the radius β that Zhou and Chowdhury (2024,
// Lemma C.4) print for sums over n records with noise of deviation σ, of sites that release K
// batches in their lives:
//
//	λ = max(1, σ(√d+√ln(K/α))),  β = √(2 ln(2/α) + d ln(1+n/(dλ))) + √λ.
//
// They leave constants open; here they are 1, which is not proved: λ must bound the norm of the
// noise, and also cover the noise in B. Eigenvalues of V+λI below 1 are raised to 1.
func zhouChowdhury(g gram.Gram, n, leaves float64) (e gram.Estimate, beta float64, ok bool) {
	d := float64(g.V.SymmetricDim())
	lambda := max(1, math.Sqrt(g.Noise.Diagonal)*(math.Sqrt(d)+math.Sqrt(math.Log(leaves/missed))))
	e, ok = g.Estimate(func(eigenvalue, _ float64) (gain, precision float64) {
		precision = max(eigenvalue+lambda, 1)
		return 1 / precision, precision
	})
	return e, math.Sqrt(2*math.Log(2/missed)+d*math.Log(1+n/(d*lambda))) + math.Sqrt(lambda), ok
}

// dubeyPentland returns the estimate H⁻¹B and the radius β that Dubey and Pentland (2020,
// Propositions 2 and 4) print for sums of M sites that release K times each, with noise of
// deviation s in one site's sums:
//
//	Λ = s(4√d + 2 ln(2KM/α)),  H = V + 2MΛI,  κ = s(√d + 2 ln(2KM/α))/√Λ,
//	β = ½√(2 ln(2/α) + ln det H - d ln(MΛ)) + √(3MΛ) + κ√M,
//
// where rewards in [0,1] are ½-sub-Gaussian. In print, κ lacks a factor that Λ has, and ln det H
// has a factor of d that its proof does not have. Each site shifts its own noise, so the shifts
// add up to M times one site's, whereas the noise grows with √M. Without noise 2MΛ, MΛ and 3MΛ
// are 1, as in Abbasi-Yadkori et al. (2011).
func dubeyPentland(g gram.Gram, peers, leaves float64) (e gram.Estimate, beta float64, ok bool) {
	d := float64(g.V.SymmetricDim())
	deviation, log := math.Sqrt(g.Noise.Diagonal/peers), 2*math.Log(2*leaves*peers/missed)
	norm := peers * deviation * (4*math.Sqrt(d) + log)
	shift, least, most, kappa := 2*norm, norm, 3*norm, 0.
	if norm > 0 {
		kappa = peers * deviation * (math.Sqrt(d) + log) / math.Sqrt(norm)
	} else {
		shift, least, most = 1, 1, 1
	}
	det := 0.
	e, ok = g.Estimate(func(eigenvalue, _ float64) (gain, precision float64) {
		precision = max(eigenvalue+shift, least)
		det += math.Log(precision / least)
		return 1 / precision, precision
	})
	return e, math.Sqrt(rewardVar*(2*math.Log(2/missed)+det)) + math.Sqrt(most) + kappa, ok
}
