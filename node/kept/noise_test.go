package kept

import (
	"fmt"
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
	"peerd.dev/node"
)

// inside returns the half of a site whose own rewards are noised.
func inside(t *testing.T, epsilon float64, seed uint64) *Half {
	t.Helper()
	s := spec(node.GiveNone)
	s.Inside = epsilon
	return half(t, s, seed)
}

// TestAnswersArePrivateWithNoise: a reward passes through randomized response before anything follows from it: whatever it was, what comes
// out is 1 with probability 1/(1+e^ε) to e^ε/(1+e^ε), linear in the reward, so that the odds of any two rewards are at most e^ε and reach it, and
// the mean that the half believes has no bias. What is believed of a reward has its variance.
func TestAnswersArePrivateWithNoise(t *testing.T) {
	const n = 40_000
	for _, epsilon := range []float64{.1, 1, 4, 8} {
		h := inside(t, epsilon, 3)
		least := 1 / (1 + math.Exp(epsilon))
		if math.Abs(h.flip-least) > 1e-15 {
			t.Fatalf("turned around with probability %v, want %v", h.flip, least)
		}
		for i, y := range []float64{0, 1. / 16, .5, 15. / 16, 1} {
			arm, ones := bandit.Arm(i%3), 0
			h := inside(t, epsilon, uint64(i))
			for k := range n {
				z := h.noised(bandit.Reward(y), fmt.Sprint(k))
				if z == 1 {
					ones++
				} else if z != 0 {
					t.Fatalf("a reward becomes %v", z)
				}
				require.Value(h.Add(fmt.Sprint(k), bandit.Pull{Arm: arm, Reward: bandit.Reward(y)}))(t)
			}
			p := least + y*(1-2*least)
			if odds := math.Max((1-least)/p, (1-p)/least); math.Log(odds) > epsilon+1e-12 {
				t.Errorf("ε %v: odds of e^%v", epsilon, math.Log(odds))
			}
			dev := math.Sqrt(p * (1 - p) / n)
			if got := float64(ones) / n; math.Abs(got-p) > 5*dev {
				t.Errorf("ε %v, reward %v: %v of all become 1, want %v within %v", epsilon, y, got, p, 5*dev)
			}
			if h.parts[arm].n != n || h.parts[arm].sum != uint64(ones)*unit {
				t.Errorf("ε %v, reward %v: the sum of %d is %v, and %d become 1", epsilon, y, h.parts[arm].n, float64(h.parts[arm].sum)/unit, ones)
			}
			h.renew()
			own, real := h.belief.Sites[arm][0], 1-2*least
			if math.Abs(own.Mean-y) > 5*dev/real+1e-9 || math.Abs(own.N-n*real*real) > 1e-6*n {
				t.Errorf("ε %v, reward %v: a mean of %v over %v rewards", epsilon, y, own.Mean, own.N)
			}
		}
	}
}

// TestNoiseIsDrawnOnce: for a decision it follows from its id, also after a restart, and not from what came before. Other ids, and other sites,
// have other noise.
func TestNoiseIsDrawnOnce(t *testing.T) {
	const n = 400
	a, b, other := inside(t, 1, 5), inside(t, 1, 5), inside(t, 1, 6)
	outcomes := func(h *Half, y bandit.Reward, from, step int) (all [n]bandit.Reward) {
		for i := range n {
			k := (from + i*step + n) % n
			all[k] = h.noised(y, fmt.Sprint(k))
		}
		return all
	}
	for _, y := range []bandit.Reward{0, .3, 1} {
		want := outcomes(a, y, 0, 1)
		for i := range 30 {
			add(t, b, bandit.Arm(i%3), .5)
		}
		saved := inside(t, 1, 5)
		require.NoError(t, saved.Load(b.Save()))
		for _, h := range []*Half{a, b, saved} {
			if outcomes(h, y, n-1, -1) != want {
				t.Fatalf("the noise of a reward of %v is drawn again", y)
			}
		}
		same, ones := 0, 0
		for k, z := range outcomes(other, y, 0, 1) {
			if z == want[k] {
				same++
			}
			ones += int(want[k])
		}
		if same == n || ones == 0 || ones == n {
			t.Errorf("a reward of %v: %d of %d are alike at two sites, %d are 1", y, same, n, ones)
		}
	}
}

// TestWhatFollowsFromNoisedRewardsIsPrivate: as TestAnswersToKeptDecisionsShowRewards, where one reward decides the next choice. With noise the
// odds of the choice are at most e^ε, and near to it.
func TestWhatFollowsFromNoisedRewardsIsPrivate(t *testing.T) {
	const n, epsilon = 4000, 1.
	var chosen [2]float64
	for y := range chosen {
		for seed := range uint64(n) {
			h := inside(t, epsilon, seed)
			for range 4 {
				for _, arm := range []bandit.Arm{0, 1} {
					h.parts[arm].add(.5)
					h.parts[arm].news = true
				}
			}
			h.parts[1].add(.5)
			require.Value(h.Add("u", bandit.Pull{Arm: 0, Reward: bandit.Reward(y)}))(t)
			if h.Choose(bandit.Turn{Round: 10, Excluded: []bandit.Arm{2}}, "a").of.Arm == 0 {
				chosen[y]++
			}
		}
	}
	odds := math.Log(chosen[1] / chosen[0])
	if dev := math.Sqrt(1/chosen[0] + 1/chosen[1]); odds > epsilon+5*dev || odds < epsilon-5*dev {
		t.Errorf("arm 0 follows %v times from a reward of 1, %v from 0: e^%.3f, want e^%v within %.3f", chosen[1], chosen[0], odds, epsilon, 5*dev)
	}
}
