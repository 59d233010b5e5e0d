package printed

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit/gram"
	"peerd.dev/bandit/linear"
	"peerd.dev/internal/require"
)

// TestPrintedRadii compares with numbers that another program computed: one feature, V = 10, B =
// 5, noise of variance 4, 100 releases of each site.
func TestPrintedRadii(t *testing.T) {
	g := require.Value(gram.Of([]float64{10, 5}, 4, gram.Linear, 1))(t)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	e, beta, _ := lemmaC4(100)(g, 50)
	near("Zhou and Chowdhury's estimate", e.Theta[0], 5/(10+8.069708517540587))
	near("their radius", beta, 6.38616559881752)
	e, beta, _ = propositions2And4(4, 100)(g, 50)
	near("Dubey and Pentland's estimate", e.Theta[0], 5/222.6365106184963)
	near("their radius", beta, 28.69001129771025)
	near("their certainty", 1/(e.Reach*e.Reach), 222.6365106184963)
}

// distance returns the greatest |⟨x, θ̂-θ⟩|/|Wx|: the norm of the y with Wᵀy = θ̂-θ.
func distance(e gram.Estimate, theta []float64) float64 {
	y, sum := make([]float64, len(theta)), 0.
	for i := len(y) - 1; i >= 0; i-- {
		y[i] = e.Theta[i] - theta[i]
		for k := i + 1; k < len(y); k++ {
			y[i] -= e.Half.Row(k)[i] * y[k]
		}
		y[i] /= e.Half.Row(i)[i]
		sum += y[i] * y[i]
	}
	return math.Sqrt(sum)
}

// TestThePrintedSetHolds: the parameter is in the set that Dubey and Pentland print after every release
// of 100 runs, although that is not proved.
func TestThePrintedSetHolds(t *testing.T) {
	const d, releases = 3, 8
	for _, sigma := range []float64{0, 3, 30} {
		printed, proved := 0., 0.
		for run := range uint64(100) {
			rng := rand.New(rand.NewPCG(500+run, 9))
			unit := func() (v [d]float64) {
				for i := range v {
					v[i] = rng.NormFloat64()
				}
				norm := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
				for i := range v {
					v[i] /= norm
				}
				return v
			}
			theta, exact, n, last := unit(), make([]float64, (d+1)*(d+2)/2), 0., [2]float64{}
			for range releases {
				for more := 1 + int(n/2); more > 0; {
					x := unit()
					mean := x[0]*theta[0] + x[1]*theta[1] + x[2]*theta[2]
					if mean < 0 {
						continue
					}
					more--
					n++
					y := 0.
					if rng.Float64() < mean {
						y = 1
					}
					at := 0
					for i := range x {
						exact[at] += x[i] * x[i]
						at++
						for j := i + 1; j < d; j++ {
							exact[at] += math.Sqrt2 * x[i] * x[j]
							at++
						}
					}
					for i := range x {
						exact[at+i] += math.Sqrt2 * x[i] * y
					}
					exact[at+d] += y * y
				}
				sums := make([]float64, len(exact))
				for i, v := range exact {
					sums[i] = v + sigma*rng.NormFloat64()
				}
				g := require.Value(gram.Of(sums, sigma*sigma, gram.Corner, d))(t)
				for i, by := range []linear.Estimator{propositions2And4(1, releases), linear.Ridge} {
					e, beta, ok := by(g, n)
					if off := distance(e, theta[:]); !ok || off > beta {
						t.Errorf("noise of %v, run %d, set %d: θ is %.3g off, the radius is %.3g", sigma, run, i, off, beta)
					}
					last[i] = beta * e.Reach
				}
			}
			printed, proved = printed+last[0], proved+last[1]
		}
		t.Logf("noise of %v: an estimated reward is at most %.3g off as printed, %.3g as proved", sigma, printed/100, proved/100)
	}
}
