package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/node"
)

// sharpPlay is a play of the sharp canary as far as a bound looks at it: one node.
func sharpPlay(side int, scale uint64, noise int64) *transcript {
	n := drawnNode{exact: [2]int64{0, int64(dp.Nano)}, side: side}
	n.value = n.exact[side] + noise
	return &transcript{side: side, charge: dp.Charge{Scale: scale}, nodes: []drawnNode{n}}
}

// found returns in how many of some audits the bound of the sharp canary at 99 % is over
// the claimed ε, where the noise has a share of the scale that ε asks for.
func found(eps, share float64, runs, audits int) (n int) {
	src := node.NewSeed(uint64(1000*eps) + uint64(runs)).Noise()
	scale := uint64(math.Ceil(dp.Nano / eps))
	for range audits {
		var sides [2][]marks
		for side := range sides {
			for range 4 * runs {
				sides[side] = append(sides[side], sharpPlay(side, scale, src.Laplace(uint64(share*float64(scale)))).marks())
			}
		}
		var b Bound
		if b.find(sides, 7); b.Low99 > eps {
			n++
		}
	}
	return n
}

// TestPowerOfTheBound: noise of half the scale is found by the bound alone at the default
// number of runs, and right noise is not. With PEERD_LONG it prints the table of
// docs/audit.md.
func TestPowerOfTheBound(t *testing.T) {
	if n := found(1, .5, 1000, 20); n < 19 {
		t.Errorf("noise halved: found in %d of 20", n)
	}
	if n := found(1, 1, 250, 100); n > 1 {
		t.Errorf("right noise: %d of 100 alarm", n)
	}
	if os.Getenv("PEERD_LONG") == "" {
		return
	}
	for _, eps := range []float64{.2, 1, 2, 5} {
		for _, share := range []float64{.5, .75, .9, 1} {
			line := fmt.Sprintf("| %g | %g |", eps, share)
			for _, runs := range []int{60, 200, 1000, 5000} {
				audits := 100
				if runs > 1000 {
					audits = 25
				}
				line += fmt.Sprintf(" %d %% |", 100*found(eps, share, runs, audits)/audits)
			}
			t.Log(line)
		}
	}
}

// TestBoundsOfProbabilities: Clopper and Pearson's bounds hold as often as they say.
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

// TestNoiseOfTheLawPasses and noise of another law does not: of a scale 4 % less, with
// some of it left out, or drawn once for two nodes.
func TestNoiseOfTheLawPasses(t *testing.T) {
	const scale = 1 << 20
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
	} {
		src := node.NewSeed(7).Noise()
		var c conformance
		before := int64(0)
		for range 5000 {
			tr := transcript{charge: dp.Charge{Scale: scale}}
			for i := range 10 {
				x := tc.of(c.nodes+i, src.Laplace(scale), before)
				before = x
				tr.nodes = append(tr.nodes, drawnNode{stream: i, to: 1, value: x})
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
			t.Errorf("%s: %d tests alarm: %+v", tc.name, alarms, c.tests(false))
		}
	}
}
