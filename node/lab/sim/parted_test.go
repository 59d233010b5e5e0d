package sim_test

import (
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol/averaging"
)

// TestWhoWasPartedCatchesUp: a network is partitioned while there is most to learn, and each
// side's own rewards mislead it. After the partition, under capped as under max, regret almost
// stops growing and every peer plays the best arm. When exchanges omitted estimates of which one
// end knew little, capped had 1.6 times the regret of max, and its peers stayed wrong.
func TestWhoWasPartedCatchesUp(t *testing.T) {
	if testing.Short() {
		t.Skip("a quarter of a million agent steps")
	}
	const rounds, seeds, best = 10_000, 4, 2
	means := [][]float64{{.13, .85, .76, .26, .50}, {.45, .65, .79, .09, .03}, {.84, .43, .76, .00, .45}}
	play := func(rule averaging.Consistency) (half, whole float64) {
		for seed := range uint64(seeds) {
			c := config(seed, ring(3), rounds, means...)
			c.Spec.Privacy.Mechanism, c.Spec.Privacy.Budget = dp.None, account.Unlimited
			ruled(&c, rule)
			c.Faults.Partition = []uint64{0, 2000}
			res := require.Value(sim.Run(c))(t)
			half, whole = half+res.Regret[4]/seeds, whole+res.Regret[9]/seeds
			for i, pulls := range res.Pulls {
				if rule == averaging.Capped && pulls[best] < .75*rounds {
					t.Errorf("seed %d: peer %d played the best arm %d times of %d", seed, i, pulls[best], rounds)
				}
			}
		}
		return half, whole
	}
	_, most := play(averaging.Max)
	half, got := play(averaging.Capped)
	t.Logf("regret under max %.1f, under capped %.1f, of which %.1f after the first half", most, got, got-half)
	if got > 1.1*most || got-half > .1*got {
		t.Error("who was parted stays wrong")
	}
}

// TestAPeerThatLeavesForGoodMisleadsNobody: what it knew of every arm stays as uncertain as it
// was; the other peers could explore every arm forever because of it, as if that could reduce the
// uncertainty.
func TestAPeerThatLeavesForGoodMisleadsNobody(t *testing.T) {
	const rounds, seeds = 20_000, 10
	means := [][]float64{{.8, .5, .2}, {.9, .6, .1}, {.7, .4, .3}}
	for seed := range uint64(seeds) {
		c := signed(config(seed, ring(3), rounds, means...))
		c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Learner = phases(), dp.EachLaplace, learner.KLUCBParams{Level: learner.TwoLog}
		c.Faults.Partition = []uint64{50, rounds} // between peer 0 and the other two
		res := require.Value(sim.Run(c))(t)
		half, whole := res.Regret[4], res.Regret[9]
		// Pulling the second best arm costs .3 per round; in a quarter of the rounds, 750.
		if whole-half > 750 {
			t.Errorf("seed %d: a regret of %.0f, of which %.0f in the second half", seed, whole, whole-half)
		}
	}
}
