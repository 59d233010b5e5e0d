package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
)

// sharpPlay is a play of the sharp canary, reduced to what a bound uses: one node.
func sharpPlay(side int, charged dp.Noise, noise int64) *transcript {
	n := drawnNode{exact: [2]int64{0, dp.Nano}, side: side, noise: charged}
	n.value = n.exact[side] + noise
	return &transcript{side: side, nodes: []drawnNode{n}}
}

// claim is a promise that a bound should refute: an ε of Laplace noise, or a μ of Gaussian noise.
type claim struct {
	law  dp.Law
	most float64
}

// gaussianClaim returns the μ of a budget.
func gaussianClaim(t *testing.T, epsilon, delta float64) claim {
	t.Helper()
	mu, err := account.MuFor(epsilon, delta)
	if err != nil {
		t.Fatal(err)
	}
	return claim{dp.Gaussian, float64(mu)}
}

// found returns in how many of some audits the bound of the sharp canary at 99 % exceeds the
// claim, if the noise has a share of the scale that the claim requires.
func (c claim) found(share float64, runs, audits int) (n int) {
	src := node.NewSeed(uint64(1000*c.most) + uint64(runs)).Noise()
	charged := dp.Noise{Law: c.law, Scale: uint64(math.Ceil(dp.Nano / c.most)), VarianceUnits: dp.VarianceScale}
	draw := src.Laplace
	if c.law == dp.Gaussian {
		draw = src.Gaussian
	}
	for range audits {
		var sides [2][]playScores
		for side := range sides {
			for range 4 * runs {
				noise := draw(uint64(share * float64(charged.Scale)))
				sides[side] = append(sides[side], sharpPlay(side, charged, noise).scores())
			}
		}
		var b Bound
		if b.find(sides, measure(c.law), 7); b.Low99 > c.most {
			n++
		}
	}
	return n
}

// TestPowerOfTheBound: noise of half the scale is found by the bound alone at the default number
// of runs, and correct noise is not. With PEERD_LONG it prints the table of docs/lab/audit.md.
func TestPowerOfTheBound(t *testing.T) {
	claims := map[string]claim{"laplace": {dp.Laplace, 1}, "gaussian": gaussianClaim(t, 5, 1e-6)}
	for name, c := range claims {
		if n := c.found(.5, 1000, 20); n < 19 {
			t.Errorf("%s noise halved: found in %d of 20", name, n)
		}
		if n := c.found(1, 250, 100); n > 1 {
			t.Errorf("right %s noise: %d of 100 alarm", name, n)
		}
	}
	if os.Getenv("PEERD_LONG") == "" {
		return
	}
	for _, epsilon := range []float64{.2, 1, 2, 5} {
		for _, c := range []claim{{dp.Laplace, epsilon}, gaussianClaim(t, epsilon, 1e-6)} {
			for _, share := range []float64{.5, .75, .9, 1} {
				line := fmt.Sprintf("| %v | %g | %g |", c.law, epsilon, share)
				for _, runs := range []int{60, 200, 1000, 5000} {
					audits := 100
					if runs > 1000 {
						audits = 25
					}
					line += fmt.Sprintf(" %d %% |", 100*c.found(share, runs, audits)/audits)
				}
				t.Log(line)
			}
		}
	}
}

// TestBoundsOfProbabilities: Clopper and Pearson's bounds hold as often as they state.
func TestBoundsOfProbabilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, miss, draws = 50, .05, 4000
	for _, p := range []float64{.01, .2, .5, .97} {
		low, high := 0, 0
		for range draws {
			k := 0
			for range n {
				if rng.Float64() < p {
					k++
				}
			}
			if atLeast(k, n, miss) > p {
				low++
			}
			if atMost(k, n, miss) < p {
				high++
			}
		}
		// .05 of 4,000 is 200; over 260 has probability 1e-5.
		if low > 260 || high > 260 {
			t.Errorf("p = %v: wrong %d and %d times of %d", p, low, high, draws)
		}
	}
}

// TestNoiseOfTheLawPasses: and other noise does not: with a scale 4 % less, with some of it
// omitted, drawn once for two nodes, or of the other distribution.
func TestNoiseOfTheLawPasses(t *testing.T) {
	const scale = 1 << 20
	deviation := math.Round(math.Sqrt2 * scale) // of a Laplace distribution of that scale
	src := node.NewSeed(7).Noise()
	draws := map[dp.Noise]func() int64{
		{Law: dp.Laplace, Scale: scale, VarianceUnits: dp.VarianceScale}:              func() int64 { return src.Laplace(scale) },
		{Law: dp.Gaussian, Scale: uint64(deviation), VarianceUnits: dp.VarianceScale}: func() int64 { return src.Gaussian(uint64(deviation)) },
	}
	for charged, draw := range draws {
		for _, tc := range []struct {
			name string
			bad  bool
			of   func(i int, x, before int64) int64
		}{
			{"right", false, func(_ int, x, _ int64) int64 { return x }},
			{"weak", true, func(_ int, x, _ int64) int64 { return x / 100 * 96 }},
			{"missing", true, func(i int, x, _ int64) int64 {
				if i%1000 == 0 {
					return 0
				}
				return x
			}},
			{"again", true, func(i int, x, before int64) int64 {
				if i%1000 == 9 {
					return -before
				}
				return x
			}},
			{"one side", true, func(_ int, x, _ int64) int64 { return max(x, -x) }},
			{"the other law", true, func(_ int, x, _ int64) int64 {
				for other, draw := range draws {
					if other != charged {
						return draw()
					}
				}
				return x
			}},
		} {
			var c conformance
			before := int64(0)
			for range 5000 {
				var tr transcript
				for i := range 10 {
					x := tc.of(c.nodes+i, draw(), before)
					before = x
					tr.nodes = append(tr.nodes, drawnNode{stream: i, to: 1, noise: charged, value: x})
				}
				c.add(&tr)
			}
			alarms := 0
			for _, test := range c.tests(false) {
				if test.P < 1e-4 {
					alarms++
				}
			}
			if tc.bad != (alarms > 0) {
				t.Errorf("%v, %s: %d tests alarm: %+v", charged.Law, tc.name, alarms, c.tests(false))
			}
		}
	}
}

// TestLikelihoodsOfLaplaceNoiseHaveAtoms: beyond both sums the likelihood is the same to the last
// bit, wherever the node is, so that a threshold there has all of them on one side.
func TestLikelihoodsOfLaplaceNoiseHaveAtoms(t *testing.T) {
	charged := dp.Noise{Law: dp.Laplace, Scale: 5_000_000_001, VarianceUnits: dp.VarianceScale}
	want := sharpPlay(0, charged, 2*dp.Nano).likelihood()
	for noise := int64(2 * dp.Nano); noise < 60*dp.Nano; noise += 777_777_777 {
		if l := sharpPlay(0, charged, noise).likelihood(); l != want {
			t.Fatalf("likelihood %v at %d, want %v", l, noise, want)
		}
	}
}
