package sim_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/printed"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// TestTheRadiiKeepTheirPromise: in small runs of both protocols, over ten seeds, with equal and
// with different sites. Worlds that pay something other than they state are found.
func TestTheRadiiKeepTheirPromise(t *testing.T) {
	const rounds, peers, arms, seeds = 2000, 4, 3, 10
	alike := [][]float64{{.8, .5, .3}}
	differ := [][]float64{{.9, .2, .3}, {.3, .8, .1}}
	for _, c := range []struct {
		name  string
		means [][]float64
		rule  averaging.Consistency // of average; empty for rows
	}{
		{"average, max", alike, averaging.Max},
		{"average, capped", alike, averaging.Capped},
		{"rows, sites alike", alike, ""},
		{"average, max, sites differ", differ, averaging.Max},
		{"rows, sites differ", differ, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var all, lied sim.Coverage
			for seed := range uint64(seeds) {
				play := func(shift float64) sim.Coverage {
					s := signed(config(seed, ring(peers), rounds, c.means...))
					if ruled(&s, c.rule); c.rule == "" {
						s.Spec.Protocol = plainRows()
					}
					s.Truth, s.Cover = meanOver(peers, c.means), true
					for k := range s.Truth {
						s.Truth[k] += shift
					}
					res := require.Value(sim.Run(s))(t)
					return *res.Coverage
				}
				one, other := play(0), play(.6)
				all.Add(&one)
				lied.Add(&other)
			}
			if most := uint64(rounds * peers * arms * seeds); all.Checked > most || all.Checked < most*9/10 || all.Greatest <= 0 {
				t.Errorf("too little was checked, or too much: %+v", all)
			}
			t.Logf("%+v", all)
			if all.Broken() {
				t.Errorf("the promise is broken: %+v", all)
			}
			if n := len(all.Rounds); n != 4 || all.Rounds[1].Checked > all.Rounds[3].Checked || all.Rounds[0].Checked+all.Rounds[1].Checked+all.Rounds[2].Checked+all.Rounds[3].Checked != all.Checked {
				t.Errorf("by rounds: %+v", all.Rounds)
			}
			if !lied.Broken() || lied.Last == 0 || lied.Greatest <= 1 {
				t.Errorf("worlds that pay .6 less than they say are not found: %+v", lied)
			}
		})
	}
}

// signed gives peers keys, which rows need.
func signed(c sim.Config) sim.Config {
	for i := range c.Spec.Peers() {
		c.Keys = append(c.Keys, vouch.For[protocol.Keys](protocoltest.Keys(i)))
	}
	return c
}

// TestLookingChangesNothing: a run is the same whether its coverage is counted or not, and liars
// are not checked.
func TestLookingChangesNothing(t *testing.T) {
	for _, learner := range []bandit.Params{learner.UCBParams{}, printed.UCBParams{}} {
		for _, e := range papers.All() {
			if protocol.TraitsOf(e).Wide {
				continue // arms have no means
			}
			name, radius := e.Words().Name, learner.Words().Name
			play := func(look bool) sim.Result {
				means := [][]float64{{.8, .5, .3}, {.2, .6, .7}}
				c := signed(config(5, ring(6), 1500, means...))
				c.Spec.Learner = learner
				speak(&c, e)
				c.Faults = sim.Faults{Loss: .1, Delay: 2, Duplicate: .1, Churn: .001}
				c.Liars = sim.Liars{Count: 2, Claim: sim.ClaimHalf}
				c.Truth, c.Cover = meanOver(6, means), look
				return require.Value(sim.Run(c))(t)
			}
			with, without := play(true), play(false)
			if !slices.Equal(with.Regret, without.Regret) || !slices.EqualFunc(with.Means, without.Means, slices.Equal) || with.Messages != without.Messages {
				t.Errorf("%s, %s: another run", name, radius)
			}
			if n := with.Coverage.Checked + with.Coverage.Free; n == 0 || n > 1500*4*3 || without.Coverage != nil {
				t.Errorf("%s, %s: %+v of at most 18000, and %v", name, radius, with.Coverage, without.Coverage)
			}
			if free := with.Coverage.Free > 0; free != (learner == bandit.Params(printed.UCBParams{})) && e.Cadence().Epochs == 0 {
				t.Errorf("%s, %s: %+v", name, radius, with.Coverage)
			}
		}
	}
}

// TestThePrintedRadiusGivesArmsUp: after one pull, formula (12) allows for no noise at all, so an
// arm whose first noise is negative is never pulled again, even if it is the best one. With the
// calibrated radius, no arm is lost this way.
func TestThePrintedRadiusGivesArmsUp(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a million agent steps")
	}
	const rounds, peers, arms, seeds = 5000, 3, 5, 40
	links := [][]protocol.Peer{{1, 2}, {0, 2}, {0, 1}}
	lost := make(map[bandit.Params]int)
	for _, learner := range []bandit.Params{printed.UCBParams{}, learner.UCBParams{}} {
		for seed := range uint64(seeds) {
			draw, means := rand.New(rand.NewPCG(seed, 12)), make([][]float64, peers)
			for i := range means {
				for range arms {
					means[i] = append(means[i], draw.Float64())
				}
			}
			c := config(seed, links, rounds, means...)
			c.Spec.Learner = learner
			average(&c, func(p *averaging.AverageParams) { p.Consistency, p.Rate = averaging.Max, 1./3 })
			res := require.Value(sim.Run(c))(t)
			best, greatest := 0, 0.
			for k := range arms {
				sum := means[0][k] + means[1][k] + means[2][k]
				if sum > greatest {
					best, greatest = k, sum
				}
			}
			most := uint64(0)
			for i := range peers {
				most = max(most, res.Pulls[i][best])
			}
			if most <= 2*peers { // news of a first pull forces that many
				lost[learner]++
			}
		}
	}
	t.Logf("the best arm was given up in %d of %d instances with the printed radius, in %d with the calibrated one", lost[printed.UCBParams{}], seeds, lost[learner.UCBParams{}])
	if lost[printed.UCBParams{}] == 0 || lost[learner.UCBParams{}] > 0 {
		t.Errorf("best arms given up: %v", lost)
	}
}
