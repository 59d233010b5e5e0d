package lowerbound

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestOneSiteWithoutNoise compares with the sum of Lai and Robbins.
func TestOneSiteWithoutNoise(t *testing.T) {
	means := [][]float64{{.9, .8, .5, .9, 0}}
	want := 0.0
	for _, p := range []float64{.8, .5} {
		want += (.9 - p) / (p*math.Log(p/.9) + (1-p)*math.Log((1-p)/.1))
	}
	want += .9 / -math.Log(.1)
	want *= math.Log(1000)
	if got := New(means, math.Inf(1)).Regret(1000); math.Abs(got-want) > 1e-9*want {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestBySearch compares the information with the minimum found by a search over the q of two
// sites, in which each divergence is the minimum of a search over r.
func TestBySearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		p := []float64{rng.Float64(), rng.Float64()}
		mean := (p[0] + p[1]) / 2
		mean += (1 - mean) * (.1 + .8*rng.Float64())
		epsilon := []float64{.1, .5, 1, 2, 5, math.Inf(1)}[rng.IntN(6)]
		want := math.Inf(1)
		const steps = 2000
		for i := range steps {
			first := float64(i) / (steps - 1)
			second := 2*mean - first
			if second < p[1] || second > 1 || first < p[0] {
				continue // less of one q for more of the other is worse
			}
			want = min(want, searched(p[0], first, epsilon)+searched(p[1], second, epsilon))
		}
		got := information(p, mean, epsilon)
		if got > want*(1+1e-9) || got < want*(1-1e-2) {
			t.Errorf("p %v to mean %v at ε = %v: %v, by search %v", p, mean, epsilon, got, want)
		}
	}
}

func searched(p, q, epsilon float64) float64 {
	least := relativeEntropy(p, q)
	if math.IsInf(epsilon, 1) {
		return least
	}
	for i := range 2001 {
		r := p + (q-p)*float64(i)/2000
		least = min(least, epsilon*(r-p)+relativeEntropy(r, q))
	}
	return least
}

// TestCertainBestArm has a best arm that always pays: only privacy makes pulls of other arms
// worthwhile.
func TestCertainBestArm(t *testing.T) {
	means := [][]float64{{1, .5}, {1, .7}}
	if got := New(means, math.Inf(1)).Regret(100); got != 0 {
		t.Errorf("without noise %v, want 0", got)
	}
	// d(p, 1) = ε(1-p).
	want := .4 / (2 * (.5 + .3)) * math.Log(100)
	if got := New(means, 2).Regret(100); math.Abs(got-want) > 1e-6*want {
		t.Errorf("at ε = 2 %v, want %v", got, want)
	}
}

// TestNoMorePullsThanAtRandom: arms that the rounds do not distinguish cost no more than random
// choices.
func TestNoMorePullsThanAtRandom(t *testing.T) {
	b := New([][]float64{{.5, .501, .5, .5}}, 1)
	if got := b.Regret(1000); math.Abs(got-.75) > 1e-9 {
		t.Errorf("%v, want three quarters of 1000 rounds of .001", got)
	}
	if got := b.Regret(1 << 40); got > .003*(1<<30) {
		t.Errorf("%v after 2^40 rounds, which distinguish the arms", got)
	}
}

// TestLessPrivacyCostsLess: the bound decreases in ε, to the bound without noise.
func TestLessPrivacyCostsLess(t *testing.T) {
	means := [][]float64{{.9, .3, .2}, {.4, .9, .3}, {.9, .2, .4}, {.5, .2, .9}, {.8, .4, .2}}
	last := math.Inf(1)
	for _, epsilon := range []float64{.01, .1, .5, 1, 2, 5, 50, math.Inf(1)} {
		b := New(means, epsilon).Regret(15000)
		if b > last*(1+1e-12) || b <= 0 {
			t.Errorf("ε = %v: %v after %v at a smaller one", epsilon, b, last)
		}
		last = b
	}
	for epsilon, want := range map[float64]float64{1: 5.86, math.Inf(1): 5.11} {
		if got := New(means, epsilon).Regret(15000); math.Abs(got-want) > .01 {
			t.Errorf("ε = %v: %.3f, want %.2f as computed by golden section over every q", epsilon, got, want)
		}
	}
}
