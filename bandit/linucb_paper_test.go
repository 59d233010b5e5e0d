package bandit

import (
	"math"
	"slices"
	"testing"

	"peerd.dev/bandit/gram"
)

// TestPrintedRadii compares with numbers that another program computed: one feature, V = 10, B =
// 5, noise of variance 4, 100 releases of each site.
func TestPrintedRadii(t *testing.T) {
	g, err := gram.Of([]float64{10, 5}, 4, gram.Linear, 1)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	e, beta, _ := zhouChowdhury(g, 50, 100)
	near("Zhou and Chowdhury's estimate", e.Theta[0], 5/(10+8.069708517540587))
	near("their radius", beta, 6.38616559881752)
	e, beta, _ = dubeyPentland(g, 4, 100)
	near("Dubey and Pentland's estimate", e.Theta[0], 5/222.6365106184963)
	near("their radius", beta, 28.69001129771025)
	near("their certainty", 1/(e.Reach*e.Reach), 222.6365106184963)
}

// corner sets the belief about x to a release with squares of rewards, which equal the rewards if
// these are 0 or 1.
func (x *linear) corner(sigma float64) {
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

// TestSquaresChangeNothing except the noise: without noise, each index except the paper's has the
// same estimate and the same radius from records with squares of rewards as without.
func TestSquaresChangeNothing(t *testing.T) {
	for _, index := range []LinearIndex{SampledIndex, BoundIndex, CalibratedIndex} {
		x := newLinear(4, 11)
		for range 300 {
			x.pay(x.turn(1).Features[0])
		}
		var of [2]*LinUCB
		var stated [2]float64
		for i, records := range []LinearRecords{WithoutSquares, WithSquares} {
			x.release(0)
			if records == WithSquares {
				x.corner(0)
			}
			of[i] = linUCB(t, 4, LinUCBParams{Features: 4, Index: index, Radius: 1, Records: records})
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

// TestSetsOfSquaresHold: the stated and the calibrated set, and the one that Dubey and Pentland
// print, hold after every release of 100 runs with squares of rewards.
func TestSetsOfSquaresHold(t *testing.T) {
	for _, sigma := range []float64{0, 3, 30} {
		printed, proved := 0., 0.
		for run := range uint64(100) {
			x := newLinear(3, 500+run)
			paper, calibrated := linUCB(t, 1, LinUCBParams{Features: 3, Index: PaperIndex, Radius: 1, Records: WithSquares}), linUCB(t, 1, LinUCBParams{Features: 3, Index: CalibratedIndex, Radius: 1, Records: WithSquares})
			paper.leaves = 8
			for range 8 {
				for range 1 + int(x.n/2) {
					x.pay(x.turn(1).Features[0])
				}
				x.corner(sigma)
				for _, l := range []*LinUCB{paper, calibrated} {
					l.learn(&x.b)
					if off := x.off(l.estimate); !l.known || off > l.beta {
						t.Errorf("%s, noise of %v, run %d: θ is %.3g off, the radius is %.3g", l.index, sigma, run, off, l.beta)
					}
				}
				g, err := gram.Of(x.b.X, sigma*sigma, gram.Corner, 3)
				if err != nil {
					t.Fatal(err)
				}
				if e, size, _ := stated(g, x.n); x.off(e) > size {
					t.Errorf("noise of %v, run %d: θ is %.3g off, %.3g is stated", sigma, run, x.off(e), size)
				}
			}
			printed, proved = printed+paper.beta*paper.estimate.Reach, proved+calibrated.beta*calibrated.estimate.Reach
		}
		t.Logf("noise of %v: an estimated reward is at most %.3g off as printed, %.3g as proved", sigma, printed/100, proved/100)
	}
}
