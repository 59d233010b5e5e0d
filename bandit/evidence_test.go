package bandit

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit/belief"
)

// TestAnOverflowIsNoEvidence: a site that claims 10^12 rewards under noise that hides them all says nothing against an arm.
func TestAnOverflowIsNoEvidence(t *testing.T) {
	var e evidence
	e.set(0, []belief.Site{{N: 1e12, GaussVar: 1 << 64}})
	s := 0.
	if got := e.exponent(.5, &s); got < 0 {
		t.Errorf("exponent %v, want at least 0", got)
	}
}

// TestTheInnerMaximumHasItsMean: the means of the sites have the mean q, however unequal their rewards are.
func TestTheInnerMaximumHasItsMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 5000 {
		var sites []belief.Site
		for range 1 + rng.IntN(25) {
			sites = append(sites, belief.Site{N: math.Exp(8 * rng.Float64())})
		}
		e := about(.3, sites...)
		for range 3 { // the second and third search begin from the last one
			q, s := rng.Float64(), math.Exp(6*rng.Float64()-2)
			e.share(q, s)
			mean := 0.
			for _, c := range e.sites {
				mean += c.count * c.q / e.count
			}
			if math.Abs(mean-q) > 1e-10 {
				t.Fatalf("%d sites at %v: mean %v, want %v", len(sites), s, mean, q)
			}
		}
	}
}
