package linear

import (
	"math"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/score"
)

// TestArmsAreLeftOutOnlyIfTheyCannotWin: computing the radius of some arms only does not change
// the arms among which the choice is, at every size of noise and number of records, with arms
// excluded and with features shorter than 1.
func TestArmsAreLeftOutOnlyIfTheyCannotWin(t *testing.T) {
	const arms = 30
	left := 0
	for _, index := range []Index{BoundIndex, CalibratedIndex} {
		for seed := range uint64(300) {
			x := newProblem(5, seed)
			for range 1 + seed*seed/20 {
				x.pay(x.turn(1).Features[0])
			}
			x.release([]float64{0, 1, 20}[seed%3])
			l := linUCB(t, arms, LinUCBParams{Features: 5, Index: index, Radius: .5, Records: WithoutSquares, Map: bandit.Concat})
			turn := x.turn(arms)
			for i := range turn.Features[3] {
				turn.Features[3][i] *= .1
			}
			turn.Excluded = []bandit.Arm{bandit.Arm(seed % arms)}
			l.learn(&x.b)
			all, squares := make([]float64, arms), make([]float64, arms)
			score.Products(all, l.estimate.Theta, turn.Features)
			score.Squares(squares, l.estimate.Half, len(l.estimate.Theta), turn.Features)
			for k := range all {
				all[k] += l.beta * math.Sqrt(squares[k])
			}
			forbid(all, &turn)
			best := slices.Max(all)
			c := l.Choose(&x.b, turn)
			if all[c.Arm] < best-slack(best, l.reach()) {
				t.Fatalf("%s, seed %d: arm %d has %v, the best %v", index, seed, c.Arm, all[c.Arm], best)
			}
			left += arms - len(l.able)
		}
	}
	if left < 1000 {
		t.Errorf("%d arms are left out", left)
	}
}

// TestEqualArmsAreEquallyLikely, if features are the same, and if all have norm 1 and nothing is
// known in any direction, so that only rounding distinguishes them.
func TestEqualArmsAreEquallyLikely(t *testing.T) {
	for _, index := range []Index{BoundIndex, CalibratedIndex} {
		x := newProblem(4, 3)
		same := x.turn(6)
		for k := range same.Features {
			same.Features[k] = same.Features[0]
		}
		for _, turn := range []bandit.Turn{same, x.turn(6)} {
			x.n = 1
			x.release(0) // of one record, as if it had no features
			l := linUCB(t, 6, LinUCBParams{Features: 4, Index: index, Radius: 1, Records: WithoutSquares, Map: bandit.Concat})
			counts := make([]int, 6)
			for range 12_000 {
				c := l.Choose(&x.b, turn)
				counts[c.Arm]++
				if c.Propensity != 1./6 {
					t.Fatalf("%s: propensity %v", index, c.Propensity)
				}
			}
			for _, n := range counts {
				if math.Abs(float64(n)-2000) > 6.2*math.Sqrt(2000) {
					t.Errorf("%s: counts %v", index, counts)
				}
			}
		}
	}
}
