package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/gram"
)

// corner sets the belief about x to a release with squares of rewards, which equal the rewards if
// these are 0 or 1.
func (x *problem) corner(sigma float64) {
	at := x.d * (x.d + 1) / 2
	sums := append(slices.Clone(x.exact), 0)
	for i := at; i < at+x.d; i++ {
		sums[i] *= math.Sqrt2
	}
	for i := range sums {
		sums[i] += sigma * x.rng.NormFloat64()
	}
	x.b.X, x.b.SampleVar[0], x.b.GaussVar[0] = sums, 1/x.n, sigma*sigma
}

// withSquares returns a learner that adds up squares of rewards, too.
func withSquares(arms, d int, by Estimator) *LinUCB {
	return NewLinUCB(bandit.Config{Arms: arms, Peers: 1, Rand: rand.New(rand.NewPCG(3, 4))}, d, bandit.Corner, by)
}

// TestSquaresChangeNothing except the noise: without noise, each index has the same estimate and the
// same radius from records with squares of rewards as without.
func TestSquaresChangeNothing(t *testing.T) {
	for _, index := range []Index{SampledIndex, BoundIndex, CalibratedIndex} {
		x := newProblem(4, 11)
		for range 300 {
			x.pay(x.turn(1).Features[0])
		}
		var of [2]*LinUCB
		var stated [2]float64
		for i := range of {
			of[i] = linUCB(t, 4, LinUCBParams{Features: 4, Index: index, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
			x.release(0)
			if i > 0 {
				of[i] = withSquares(4, 4, of[0].by)
				x.corner(0)
			}
			if w := of[i].Statistic().Width(); w != len(x.b.X) {
				t.Fatalf("%d numbers in a sum, want %d", w, len(x.b.X))
			}
			of[i].learn(&x.b)
			stated[i] = of[i].Summarize(&x.b).Parameter.Error
		}
		if math.Abs(stated[0]-stated[1]) > 1e-9 {
			t.Errorf("%s: %v is stated, and %v with squares", index, stated[0], stated[1])
		}
		for i := range of[0].estimate.Theta {
			if math.Abs(of[0].estimate.Theta[i]-of[1].estimate.Theta[i]) > 1e-9 || math.Abs(of[0].beta-of[1].beta) > 1e-9 {
				t.Errorf("%s: %v and %v", index, of[0].estimate.Theta, of[1].estimate.Theta)
			}
		}
	}
}

// TestSetsOfSquaresHold: the stated and the calibrated set hold after every release of 100 runs with
// squares of rewards.
func TestSetsOfSquaresHold(t *testing.T) {
	for _, sigma := range []float64{0, 3, 30} {
		for run := range uint64(100) {
			x := newProblem(3, 500+run)
			l := withSquares(1, 3, Ridge)
			for range 8 {
				for range 1 + int(x.n/2) {
					x.pay(x.turn(1).Features[0])
				}
				x.corner(sigma)
				l.learn(&x.b)
				if off := x.off(l.estimate); !l.known || off > l.beta {
					t.Errorf("noise of %v, run %d: θ is %.3g off, the radius is %.3g", sigma, run, off, l.beta)
				}
				g, err := gram.Of(x.b.X, sigma*sigma, gram.Corner, 3)
				if err != nil {
					t.Fatal(err)
				}
				if e, size, _ := stated(g, x.n); x.off(e) > size {
					t.Errorf("noise of %v, run %d: θ is %.3g off, %.3g is stated", sigma, run, x.off(e), size)
				}
			}
		}
	}
}
