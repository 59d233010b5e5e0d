package sim_test

import (
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// later is a world without decisions before a round.
type later struct {
	bandit.World
	from uint64
}

func (w later) Turn(round uint64) bandit.Turn {
	if round < w.from {
		return bandit.Turn{Round: round, None: true}
	}
	return w.World.Turn(round)
}

// TestASiteThatJoinsAtHalfTheHorizonIsUsefulAtOnce: two sites have learned which arm is best for
// both of them. A third one, which has heard and done nothing, makes another arm the best over
// all. In the 500 rounds after it has joined, the three lose a tenth less than three that begin
// together lose in their first 500, and the others have followed it; it does not explore as it
// would alone.
func TestASiteThatJoinsAtHalfTheHorizonIsUsefulAtOnce(t *testing.T) {
	const rounds, soon, seeds, best = 20_000, 500, 8, 1
	means := [][]float64{{.1, .95, .5}, {.8, .5, .2}, {.7, .5, .3}} // over all .53, .65 and .33
	play := func(seed uint64, from protocol.Round) (regret float64, pulls [][]uint64) {
		c := signed(config(seed, ring(3), rounds, means...))
		c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Learner = phases(), dp.EachLaplace, learner.KLUCBParams{Level: learner.TwoLog}
		c.Points, c.Rounds = (uint64(from)+soon)/soon, uint64(from)+soon
		c.Faults.Partition = []uint64{0, uint64(from)}
		c.Worlds[0] = later{c.Worlds[0], uint64(from)}
		c.Watch = func(r protocol.Round, agents []*node.Agent) {
			if r+1 == from {
				for _, a := range agents {
					pulls = append(pulls, slices.Clone(a.Belief().Pulls))
				}
			}
		}
		res := require.Value(sim.Run(c))(t)
		if regret = res.Regret[len(res.Regret)-1]; from > 0 {
			regret -= res.Regret[len(res.Regret)-2]
		}
		for i, before := range pulls {
			for k, n := range before {
				res.Pulls[i][k] -= n
			}
		}
		return regret, res.Pulls
	}
	joined, together := 0., 0.
	for seed := range uint64(seeds) {
		lost, pulls := play(seed, rounds/2)
		joined += lost
		for i, row := range pulls {
			if row[best] < soon/2 {
				t.Errorf("seed %d: in %d rounds peer %d chose %v", seed, soon, i, row)
			}
		}
		lost, _ = play(seed, 0)
		together += lost
	}
	t.Logf("in %d rounds a site that joins and those that it joins lose %.1f, three that begin together %.1f", soon, joined/seeds, together/seeds)
	if joined > .9*together {
		t.Error("a site that joins is as much trouble as three that know nothing")
	}
}

// TestALateSiteChoosesWellAtOnce: four sites have learned for 5,000 rounds what pays. A fifth one that is like them
// loses in its first decisions half of what it would lose alone, although its own rewards say nothing yet; the rest is what finding out
// whether it is like them costs.
func TestALateSiteChoosesWellAtOnce(t *testing.T) {
	const from, seeds = 5_000, 20
	means := [][]float64{{.58, .42, .15}, {.60, .40, .15}, {.62, .40, .17}, {.60, .43, .14}, {.61, .41, .16}}
	play := func(seed, begin, decisions uint64) (lost float64) {
		c := signed(config(seed, ring(5), 20_000, means...))
		c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Learner = phases(), dp.EachLaplace, bandit.PersonalizedParams{Price: 20}
		c.Points, c.Rounds, c.Means = 1, begin+decisions, means
		c.Worlds[0] = later{c.Worlds[0], begin}
		if begin == 0 {
			c.Faults.Partition, c.Spec.Give = []uint64{0, c.Rounds}, node.GiveNone // alone
		}
		res := require.Value(sim.Run(c))(t)
		return res.Sites[0].Regret
	}
	for _, decisions := range []uint64{150, 500, 2000} {
		late, alone := 0., 0.
		for seed := range uint64(seeds) {
			late += play(seed, from, decisions) / seeds
			alone += play(seed, 0, decisions) / seeds
		}
		t.Logf("in its first %d decisions a late site loses %.1f, alone %.1f", decisions, late, alone)
		if late > .7*alone && decisions <= 500 || late > 1.2*alone { // whose own rewards come without noise
			t.Errorf("in its first %d decisions a late site loses %.1f, alone %.1f", decisions, late, alone)
		}
	}
}
