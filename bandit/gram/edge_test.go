package gram

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestEdgeIsThatOfSimulatedNoise: as many simulated matrices exceed edge as stated, up to three
// deviations of their number and a tenth; with a tenth less, more than allowed would.
func TestEdgeIsThatOfSimulatedNoise(t *testing.T) {
	const alpha = .01
	for _, x := range []struct{ d, runs int }{{1, 60_000}, {2, 60_000}, {3, 60_000}, {10, 30_000}, {31, 3000}} {
		rng := rand.New(rand.NewPCG(uint64(x.d), 5))
		most := edge(x.d, alpha)
		passed, shorter := 0, 0
		m := mat.NewSymDense(x.d, nil)
		for range x.runs {
			for i := range x.d {
				m.SetSym(i, i, rng.NormFloat64())
				for j := range i {
					m.SetSym(i, j, rng.NormFloat64()/math.Sqrt2)
				}
			}
			var e mat.EigenSym
			if !e.Factorize(m, false) {
				t.Fatal("no eigenvalues")
			}
			values := e.Values(nil)
			if values[x.d-1] > most {
				passed++
			}
			if values[x.d-1] > .9*most {
				shorter++
			}
		}
		want := alpha * float64(x.runs)
		slack := 3 * math.Sqrt(want)
		t.Logf("d = %d: edge %.3f, passed by %d of %d, want %.0f; a tenth less by %d", x.d, most, passed, x.runs, want, shorter)
		if float64(passed) > want+slack || float64(passed) < .9*want-slack {
			t.Errorf("d = %d: %d of %d pass, want %.0f", x.d, passed, x.runs, want)
		}
		if float64(shorter) <= want+slack {
			t.Errorf("d = %d: a tenth less would not be noticed", x.d)
		}
	}
}

// TestEdgeFarOut compares with exact formulas: for d = 1 the normal distribution, for d = 2 half
// the trace, which is normal with variance ½, plus the length of two such numbers, integrated
// over the length.
func TestEdgeFarOut(t *testing.T) {
	for _, alpha := range []float64{1e-3, 1e-6, 1e-12, 1e-18} {
		one, two := edge(1, alpha), edge(2, alpha)
		if p := math.Erfc(one/math.Sqrt2) / 2; p > alpha || p < .97*alpha {
			t.Errorf("d = 1: %.3g is passed with probability %.3g, want %g", one, p, alpha)
		}
		p := 0.
		const step = 1e-4
		for r := step / 2; r < 15; r += step {
			p += step * 2 * r * math.Exp(-r*r) * math.Erfc(two-r) / 2
		}
		if p > alpha*(1+1e-6) || p < .97*alpha {
			t.Errorf("d = 2: %.3g is passed with probability %.3g, want %g", two, p, alpha)
		}
	}
	for d := 1; d <= 120; d++ {
		for alpha := 1e-2; alpha > 1e-19; alpha /= 10 {
			x, lipschitz := edge(d, alpha), math.Sqrt(float64(2*d))+math.Sqrt(-2*math.Log(alpha))
			if !(x < lipschitz && x > .5*lipschitz) {
				t.Errorf("d = %d, alpha = %g: %v, where Lipschitz's bound is %v", d, alpha, x, lipschitz)
			}
		}
	}
}
