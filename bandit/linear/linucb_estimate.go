package linear

import (
	"math"

	"peerd.dev/bandit/gram"
)

// rewardVar bounds the variance of a reward in [0,1]; rewards are sub-Gaussian with its square
// root.
const rewardVar = .25

// aware returns the estimate that models how noise enters. With V = G + N and B = Gθ + ξ + n the
// error of B from Vθ is ξ + n - Nθ: in addition to n, one vector with a covariance of at most
// v|θ|², for |θ| = 1 and noise of variance v on the diagonal of N, and half of that on average
// over directions. Weighting by it, with a prior of covariance I/d on θ:
//
//	R = V₊/4 + 3v/2,  P = V₊R⁻¹V₊ + dI,  θ̂ = P⁻¹V₊R⁻¹B,
//
// where V₊ is V with eigenvalues below 0 raised to it. All share their eigenvectors.
func aware(g gram.Gram) (gram.Estimate, bool) {
	c := g.Noise.B + g.Noise.Diagonal/2
	prior := float64(g.V.SymmetricDim())
	return g.Estimate(func(eigenvalue, _ float64) (gain, precision float64) {
		v := max(0, eigenvalue)
		r := rewardVar*v + c
		if r == 0 { // no noise, and no record in this direction
			return 0, prior
		}
		precision = v*v/r + prior
		return v / (r * precision), precision
	})
}

// missed is the probability with which a calibrated radius may be too small at any time in a
// life.
const missed = .01

// Ridge returns the estimate (V+λI)⁻¹B and the radius β with which |⟨x, θ̂-θ⟩| ≤ β|x|_{P⁻¹} for
// all x and after all releases, of n records each, except with probability missed:
// Abbasi-Yadkori, Pál and Szepesvári (2011) for rewards, and bounds on |N| and |n| for noise. See
// docs/proofs/linear.md.
func Ridge(g gram.Gram, n float64) (e gram.Estimate, beta float64, ok bool) {
	d := float64(g.V.SymmetricDim())
	each := missed / 3 / (2 * n * n) // for three parts, after one release; the sum over n of 1/n² is below 2
	most := math.Sqrt(g.Noise.B) * (math.Sqrt(d) + math.Sqrt(-2*math.Log(each)))
	norm := g.Margin(each / 2) // of either sign
	least := max(1, norm)
	lambda := norm + least
	e, ok = g.Estimate(func(eigenvalue, _ float64) (gain, precision float64) {
		precision = max(eigenvalue+lambda, least)
		return 1 / precision, precision
	})
	beta = math.Sqrt(rewardVar*(2*math.Log(1/each)+d*math.Log(1+n/(d*least)))) + math.Sqrt(lambda+norm) + most/math.Sqrt(least)
	return e, beta, ok
}
