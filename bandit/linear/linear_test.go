package linear

import (
	"math"
	"testing"

	"peerd.dev/bandit"
)

// TestATurnMayOfferFewerArms: a learner by features and exploration choose among arms that are
// offered and not excluded, each sooner or later, before and after the first release; how many
// random numbers a choice takes does not depend on how many are offered.
func TestATurnMayOfferFewerArms(t *testing.T) {
	for _, index := range indices {
		x := newProblem(4, 5)
		l := linUCB(t, 9, LinUCBParams{Features: 4, Index: index, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
		for _, known := range []bool{false, true} {
			if known {
				for range 50 {
					x.pay(x.turn(1).Features[0])
				}
				x.release(1)
			}
			for offered := 2; offered <= 9; offered++ {
				seen := make([]int, offered)
				for i := range 100 * offered {
					turn := x.turn(offered)
					turn.Excluded = []bandit.Arm{1, 8}
					c := l.Choose(&x.b, turn)
					if i%2 == 0 {
						c = bandit.Explore(c, turn, 9, 1, l.rng)
					}
					if int(c.Arm) >= offered {
						t.Fatalf("%s: arm %d of %d is chosen", index, c.Arm, offered)
					}
					seen[c.Arm]++
				}
				for k, n := range seen {
					if (n == 0) != (k == 1 || k == 8) {
						t.Errorf("%s, %d offered: arm %d is chosen %d times", index, offered, k, n)
					}
				}
			}
		}
		few, many := linUCB(t, 9, LinUCBParams{Features: 4, Index: index, Radius: 1, Records: WithoutSquares, Map: bandit.Concat}), linUCB(t, 9, LinUCBParams{Features: 4, Index: index, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
		few.Choose(&x.b, x.turn(2))
		many.Choose(&x.b, x.turn(9))
		if few.rng.Uint64() != many.rng.Uint64() {
			t.Errorf("%s: what is drawn next shows how many were offered", index)
		}
	}
}

// TestWhatTheLinearEstimateRestsOn: shares of sites by the records that count, and their released records.
func TestWhatTheLinearEstimateRestsOn(t *testing.T) {
	b, mine := neighbourhood(300, 0)
	u := personalizedLinear(t, 8, WithoutSquares, 5)
	choose(u, &b, mine.turn(8))
	sum := 0.
	w := bandit.SupportOf(u, &b, 0).Weights
	for _, x := range w {
		sum += x.Share
	}
	if len(w) != 5 || math.Abs(sum-1) > 1e-9 || w[1].Share < 3*w[3].Share || w[0].Rewards != 300 || w[1].Rewards != 4000 {
		t.Errorf("%+v", w)
	}
}
