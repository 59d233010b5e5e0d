package learner

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

func learner(t *testing.T, arms, peers int) *UCB {
	t.Helper()
	u, err := UCBParams{}.New(bandit.Config{Arms: arms, Peers: peers, Rand: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		t.Fatal(err)
	}
	return u.(*UCB)
}

// known returns the belief about arms with n pulls each, without noise.
func known(n float64, means ...float64) *bandit.Belief {
	b := belief.New(len(means), 1)
	copy(b.X, means)
	for k := range means {
		b.SampleVar[k], b.Pulls[k] = 1/n, uint64(n)
	}
	return &b
}

func TestChooseTakesTheGreatestUpperBound(t *testing.T) {
	u := learner(t, 3, 1)
	b := known(100, .5, .6, .55)
	if got := u.Choose(b, bandit.Turn{Round: 300}).Arm; got != 1 {
		t.Errorf("equal radii: arm %d, want 1", got)
	}
	b.SampleVar[2] = 1. / 4 // known from only four pulls
	if got := u.Choose(b, bandit.Turn{Round: 301}).Arm; got != 2 {
		t.Errorf("a wide radius: arm %d, want 2", got)
	}
	b.SampleVar[2] = 1. / 100
	b.LaplaceSumSq[0], b.LaplaceMax[0] = 4, 1 // much noise
	if got := u.Choose(b, bandit.Turn{Round: 302}).Arm; got != 0 {
		t.Errorf("a noisy mean: arm %d, want 0", got)
	}
}

func TestArmsBehindComeBeforeAll(t *testing.T) {
	u := learner(t, 5, 2)
	b := known(10, 1, 0, 0, 0, 0)
	b.Forced = []int{2, 4}
	seen := map[bandit.Arm]int{}
	for round := range uint64(400) {
		seen[u.Choose(b, bandit.Turn{Round: round}).Arm]++
	}
	// 400 fair coins: fewer than 140 of one side has probability 2e-9.
	if seen[2]+seen[4] != 400 || min(seen[2], seen[4]) < 140 {
		t.Errorf("picked %v, want arms 2 and 4 about equally often", seen)
	}
}

// TestRadiiAreRenewed compares every radius of a long run with the formula of
// docs/lab/proofs/radius.md for its round: never smaller, and at most 2 % larger.
func TestRadiiAreRenewed(t *testing.T) {
	u := learner(t, 2, 1)
	b := known(50, 0, 0)
	b.LaplaceSumSq[1], b.LaplaceMax[1] = 6*.04, .2
	for round := uint64(0); round < 200_000; round += 1 + round/100 {
		got := u.radii(b, round)
		l := math.Log(2 * math.Pow(float64(round+2), 2))
		for k, want := range []float64{math.Sqrt(l / 100), math.Sqrt(l/100) + belief.NoiseTail(6*.04, .2, 0, l)} {
			if r := got[k].radius; !(r >= want*(1-1e-12) && r <= want*1.02+1e-12) {
				t.Fatalf("round %d, arm %d: radius %v, want %v to 2 %% more", round, k, r, want)
			}
		}
	}
}

// TestLaplaceTailHolds draws sums of Laplace terms: at most exp(-l) of them may exceed the bound,
// and half of the bound must be too small.
func TestLaplaceTailHolds(t *testing.T) {
	const draws = 400_000
	rng := rand.New(rand.NewPCG(3, 4))
	for _, p := range []int{1, 3, 10} {
		for _, l := range []float64{2, 4, 7} {
			t.Run(fmt.Sprintf("%d terms, l %g", p, l), func(t *testing.T) {
				y := belief.NoiseTail(float64(p)*4, 2, 0, l)
				over, near := 0, 0
				for range draws {
					x := 0.
					for range p {
						x += 2 * rng.ExpFloat64() * float64(2*rng.IntN(2)-1)
					}
					if x > y {
						over++
					}
					if x > y/2 {
						near++
					}
				}
				want := draws * math.Exp(-l)
				if float64(over) > want+5*math.Sqrt(want) {
					t.Errorf("%d of %d beyond %v, want at most %.0f", over, draws, y, want)
				}
				if l > 2 && float64(near) < want {
					t.Errorf("only %d of %d beyond half of %v: the bound is needlessly wide", near, draws, y)
				}
			})
		}
	}
	if got := belief.NoiseTail(0, 0, 0, 5); got != 0 {
		t.Errorf("no noise: %v", got)
	}
}

// TestMixedNoiseTailHolds draws Laplace terms with a Gaussian one: the bound holds, is nowhere
// better than either alone, and equals the Gaussian bound if there are no Laplace terms.
func TestMixedNoiseTailHolds(t *testing.T) {
	const draws, l = 400_000, 4
	rng := rand.New(rand.NewPCG(5, 6))
	for _, g := range []float64{1e-6, 1, 30, 1e6} {
		y := belief.NoiseTail(12, 2, g, l)
		over := 0
		for range draws {
			x := math.Sqrt(g) * rng.NormFloat64()
			for range 3 {
				x += 2 * rng.ExpFloat64() * float64(2*rng.IntN(2)-1)
			}
			if x > y {
				over++
			}
		}
		if float64(over) > draws*math.Exp(-l) {
			t.Errorf("variance %v: %d of %d beyond %v", g, over, draws, y)
		}
		one, other := belief.NoiseTail(12, 2, 0, l), belief.NoiseTail(0, 0, g, l)
		if y < max(one, other)*(1-1e-9) || y > (one+other)*(1+1e-9) {
			t.Errorf("variance %v: %v, alone %v and %v", g, y, one, other)
		}
	}
	if got, want := belief.NoiseTail(0, 0, 2, 9), 6.0; math.Abs(got-want) > 1e-12 {
		t.Errorf("Gaussian noise alone: %v, want √(2·2·9) = 6", got)
	}
}
