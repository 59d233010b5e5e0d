package linear

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

// among returns a belief about nine other sites, which have released n records each of a parameter, without noise.
func among(theta []float64, n int) belief.Belief {
	b := belief.New(1, linearFeatures*(linearFeatures+3)/2)
	for site := 1; site < 10; site++ {
		x := newProblem(linearFeatures, uint64(100+site))
		x.theta = theta
		for range n {
			x.pay(x.turn(1).Features[0])
		}
		release(&b, site, x, 0)
	}
	return b
}

// except returns a parameter with the sign of an entry changed.
func except(theta []float64, entry int) []float64 {
	other := slices.Clone(theta)
	other[entry] = -other[entry]
	return other
}

// TestOwnRecordsJudgeWhetherASiteIsOdd: nothing is known before own records, and in the end an odd site has found
// out, though its parameter differs in one entry only, and another one trusts others as far as the price allows.
func TestOwnRecordsJudgeWhetherASiteIsOdd(t *testing.T) {
	for _, odd := range []bool{false, true} {
		mine := newProblem(linearFeatures, 1)
		theta := mine.theta
		if odd {
			theta = except(theta, 1)
		}
		b := among(theta, 4000)
		u := personalizedLinear(t, 8, WithoutSquares, 5)
		choose(u, &b, mine.turn(8))
		if math.Abs(u.odd-.5) > 1e-9 {
			t.Errorf("odd with probability %v before own records", u.odd)
		}
		for range 1500 {
			mine.pay(mine.turn(1).Features[0])
		}
		release(&b, 0, mine, 1)
		choose(u, &b, mine.turn(8))
		t.Logf("θ %.2f, odd %v: probability %.4f", mine.theta, odd, u.odd)
		if odd && u.odd < .95 || !odd && u.odd > .02 || u.odd < math.Exp(-5) {
			t.Errorf("odd: %v, with probability %v", odd, u.odd)
		}
	}
}

// loss plays a site that offers the same actions in every round, and returns its own regret.
func loss(t *testing.T, b belief.Belief, seed uint64, nats float64) (lost float64) {
	t.Helper()
	mine := newProblem(linearFeatures, 1)
	turn := newProblem(linearFeatures, 1).turn(8)
	u := personalizedLinear(t, 8, WithoutSquares, nats)
	mine.rng = rand.New(rand.NewPCG(seed, 5))
	u.rng = rand.New(rand.NewPCG(seed, 6))
	best, next := 0., 20.
	for _, f := range turn.Features {
		best = max(best, product(f, mine.theta))
	}
	for range 4000 {
		f := turn.Features[choose(u, &b, turn).Arm]
		lost += best - product(f, mine.theta)
		if mine.pay(f); mine.n >= next {
			release(&b, 0, mine, 1)
			next *= 1.25
		}
	}
	return lost
}

// losses returns the mean of own regrets over some seeds, among others and alone.
func losses(t *testing.T, b belief.Belief, nats float64) (together, alone float64) {
	t.Helper()
	const seeds = 8
	for seed := uint64(8); seed < 8+seeds; seed++ {
		together += loss(t, b, seed, nats) / seeds
		alone += loss(t, belief.New(1, len(b.X)), seed, nats) / seeds
	}
	return together, alone
}

// TestAnOddSiteByFeaturesLosesHardlyMore than alone, though nine others agree on another parameter.
func TestAnOddSiteByFeaturesLosesHardlyMore(t *testing.T) {
	theta := newProblem(linearFeatures, 1).theta
	for _, entry := range []int{1, 3} { // the greatest
		together, alone := losses(t, among(except(theta, entry), 4000), 5)
		t.Logf("entry %d: own regret %.1f, alone %.1f", entry, together, alone)
		if together > 1.4*alone {
			t.Errorf("entry %d: own regret %.1f, alone %.1f", entry, together, alone)
		}
	}
}

// TestThePriceBoundsLiesAboutOneDirection: nine others say the truth about the second best action and that the best one is
// worse. Own records of what they recommend agree with them, so only the price lets the site try the best one.
func TestThePriceBoundsLiesAboutOneDirection(t *testing.T) {
	theta, turn := newProblem(linearFeatures, 1).theta, newProblem(linearFeatures, 1).turn(8)
	slices.SortFunc(turn.Features, func(x, y bandit.Features) int { return cmp.Compare(product(y, theta), product(x, theta)) })
	best, second := turn.Features[0], turn.Features[1]
	lie, along := slices.Clone(theta), product(best, second)
	by := (product(best, theta) - product(second, theta) + .1) / (1 - along*along)
	for i := range lie {
		lie[i] -= by * (best[i] - along*second[i])
	}
	b := among(lie, 4000)
	for _, nats := range []float64{5, 13} {
		together, alone := losses(t, b, nats)
		t.Logf("nats %v: own regret %.1f, alone %.1f", nats, together, alone)
		if bounded := nats <= 5; bounded && together > 2*alone || !bounded && together < 3*alone {
			t.Errorf("nats %v: own regret %.1f, alone %.1f", nats, together, alone)
		}
	}
}
