package sim_test

import (
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// stopping is a run of three sites that are alike, of which the first stops in a round.
func stopping(seed, rounds, stop uint64, l bandit.Params) sim.Config {
	c := signed(config(seed, ring(3), rounds, []float64{.5, .45, .4, .3, .2}))
	c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Learner = phases(), dp.EachLaplace, l
	c.Faults.Stop = stop
	return c
}

// TestAStoppedSiteIsAwayForEver: it decides nothing more, and its regret does not count unless it resumes.
func TestAStoppedSiteIsAwayForEver(t *testing.T) {
	const rounds, stop, resume = 400, 100, 300
	c := stopping(1, rounds, stop, bandit.ThompsonParams{Inflation: 1.5})
	for _, resumes := range []bool{false, true} {
		want := uint64(stop)
		if resumes {
			c.Faults.Resume, want = resume, rounds-(resume-stop)
		}
		var pulls [][]uint64
		c.Watch = func(_ protocol.Round, agents []*node.Agent) {
			pulls = nil
			for _, a := range agents {
				pulls = append(pulls, append([]uint64(nil), a.Belief().Pulls...))
			}
		}
		res := require.Value(sim.Run(c))(t)
		lost, counted := 0., 0.
		for i, of := range pulls {
			n := uint64(0)
			for k, m := range of {
				n += m
				if i > 0 || resumes {
					lost += []float64{0, .05, .1, .2, .3}[k] * float64(m)
				}
			}
			if i > 0 || resumes {
				counted++
			}
			if i == 0 && n != want || i > 0 && n != rounds {
				t.Errorf("resumes %v: peer %d decided %d times", resumes, i, n)
			}
		}
		if got := res.Regret[len(res.Regret)-1]; got < lost/counted-1e-9 || got > lost/counted+1e-9 {
			t.Errorf("resumes %v: regret %v, want %v", resumes, got, lost/counted)
		}
	}
}

// TestASiteThatStopsForEverMisleadsNobody: after its first batches, its few rewards and a draw of noise would stay a
// third of every estimate, and the sites that go on do not explore if no decision of theirs makes that less: most runs
// lost linearly, with every learner. It leaves the estimates.
func TestASiteThatStopsForEverMisleadsNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("four million agent steps")
	}
	const rounds, seeds = 20_000, 16
	for _, c := range []struct {
		stop    uint64
		learner bandit.Params
	}{
		{20, bandit.ThompsonParams{Inflation: 1.5}},
		{100, bandit.ThompsonParams{Inflation: 1.5}},
		{20, learner.KLUCBParams{Level: learner.TwoLog}},
	} {
		linear := 0
		for seed := range uint64(seeds) {
			res := require.Value(sim.Run(stopping(seed, rounds, c.stop, c.learner)))(t)
			// The second best arm costs .05 a round.
			if half, whole := res.Regret[4], res.Regret[9]; whole-half > .0125*rounds/2 {
				linear++
			}
		}
		if linear > 0 {
			t.Errorf("stops in round %d, %T: %d of %d runs lose linearly", c.stop, c.learner, linear, seeds)
		}
	}
}
