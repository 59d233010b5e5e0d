package bandit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestExplorePropensities: an exploring choice is as frequent as its propensity says, given the
// learner's choice, and excluded arms are never chosen. Each of 2·8·3 frequencies of 20,000 draws
// may be off by 4.5 standard deviations, which happens in less than one of 3,000 tests; the seed
// is fixed.
func TestExplorePropensities(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, draws = 5, 20_000
	for _, share := range []float64{0, .01, .05, .3, .9, 1} {
		for _, excluded := range [][]Arm{nil, {0}, {4, 1}, {0, 1, 2, 4}} {
			turn := Turn{Excluded: excluded}
			count, chance := make([]float64, n), make([]float64, n)
			for range draws {
				c := Explore(Choice{3, 0}, turn, n, share, rng)
				count[c.Arm]++
				chance[c.Arm] = c.Propensity
			}
			sum := 0.
			for k := range n {
				p, offered := chance[k], !turn.Excludes(k)
				if count[k] > 0 && !offered {
					t.Fatalf("share %v: arm %d is excluded and chosen", share, k)
				}
				if sum += p; share > 0 && offered && count[k] == 0 {
					t.Errorf("share %v, excluded %v: arm %d is never chosen", share, excluded, k)
				}
				if dev := math.Sqrt(draws * p * (1 - p)); math.Abs(count[k]-draws*p) > 4.5*dev+1e-9 {
					t.Errorf("share %v, excluded %v: arm %d chosen %v times, want %v", share, excluded, k, count[k], draws*p)
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("share %v, excluded %v: propensities add up to %v", share, excluded, sum)
			}
		}
	}
}

// TestExploreTakesTwoNumbers: what is drawn after a choice does not show the choice.
func TestExploreTakesTwoNumbers(t *testing.T) {
	for seed := range uint64(50) {
		a, b := rand.NewPCG(seed, 0), rand.NewPCG(seed, 0)
		Explore(Choice{Arm(seed % 3), 1}, Turn{}, 3, .5, rand.New(a))
		b.Uint64()
		b.Uint64()
		if a.Uint64() != b.Uint64() {
			t.Fatalf("seed %d: not two numbers", seed)
		}
	}
}
