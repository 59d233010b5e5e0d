package account

import (
	"math"
	"testing"

	"github.com/google/differential-privacy/go/v3/noise"
	"pgregory.net/rapid"
)

// Google's library computes σ from ε and δ by the same theorem (Balle and Wang 2018), with
// another normal distribution function and another search. It stops within 1/1000 above the least
// σ. It computes neither ε nor δ from a σ, nor ρ, composition, or the μ of a pure ε; and for δ
// below about 1e-12, its computation of δ cancels. These are checked against tables and with 400
// digits instead.

// sigmaOfGoogle returns Google's σ for a sensitivity of each in sums.
func sigmaOfGoogle(epsilon, delta float64, sums int64, each float64) float64 {
	return noise.SigmaForGaussian(sums, each, epsilon, delta)
}

// checkLeast fails unless google is a possible result of a search for σ from above.
func checkLeast(t rapid.TB, what string, sigma, google float64) {
	t.Helper()
	if google < sigma*(1-1e-9) || google > sigma*(1+1.001e-3) {
		t.Errorf("%s: σ = %v, Google's %v, want up to 1/1000 more", what, sigma, google)
	}
}

// TestGoogleMakesTheSameSigma compares random arguments.
func TestGoogleMakesTheSameSigma(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon := rapid.Float64Range(.01, 10).Draw(t, "epsilon")
		delta := math.Pow(10, -rapid.Float64Range(.3, 11).Draw(t, "digits"))
		sums := rapid.Int64Range(1, 1000).Draw(t, "sums")
		each := rapid.Float64Range(.01, 1e6).Draw(t, "each")
		sigma := must(Sigma(epsilon, delta, each*math.Sqrt(float64(sums))))
		checkLeast(t, "analytic", sigma, sigmaOfGoogle(epsilon, delta, sums, each))
	})
}

// TestGoogleMakesTheSameTables compares the arguments of the published tables.
func TestGoogleMakesTheSameTables(t *testing.T) {
	const batches, levels = 400, 9
	for _, epsilon := range []float64{.2, 1, 5} {
		for _, delta := range []float64{.1, 1e-5, 1e-6} {
			checkLeast(t, "analytic", must(Sigma(epsilon, delta, 1)), sigmaOfGoogle(epsilon, delta, 1, 1))
			sigma0 := math.Sqrt(8*(1+math.Log2(batches))*(math.Log(2/delta)+epsilon)) / epsilon // as Zhou and Chowdhury (2024) print it
			for _, side := range []struct {
				what string
				sums int64
				each float64 // each²·sums is the squared sensitivity of all levels
			}{{"left out", 2 * levels, 1}, {"replaced", 9 * levels, math.Sqrt(.5)}} {
				sensitivity := math.Sqrt(float64(side.sums)/levels) * side.each
				checkLeast(t, side.what, must(Sigma(epsilon, delta, sensitivity*math.Sqrt(levels))), sigmaOfGoogle(epsilon, delta, side.sums, side.each))
				// What σ0 delivers: σ0 is the least σ for that ε, unless any ε would do.
				loss := must(Gaussian(sensitivity*math.Sqrt(levels), sigma0))
				delivered := must(loss.Epsilon(delta))
				if delivered == 0 {
					if google := sigmaOfGoogle(0, delta, side.sums, side.each); google > sigma0*(1+1e-3) {
						t.Errorf("%s: σ = %v at ε = 0, Google's is %v", side.what, sigma0, google)
					}
					continue
				}
				checkLeast(t, side.what+", delivered", sigma0, sigmaOfGoogle(delivered, delta, side.sums, side.each))
			}
		}
	}
}
