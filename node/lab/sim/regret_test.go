package sim_test

import (
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// TestRegretIsWhatPullsFallShortOfTheBestMeanOverSites: at every point, over honest peers,
// computed from the pulls that agents report; and against each site's own best arm.
func TestRegretIsWhatPullsFallShortOfTheBestMeanOverSites(t *testing.T) {
	const rounds, points = 905, 10
	// Over sites arm 0 pays 0.5 and arm 1 0.4375, though peer 0 sees the opposite.
	c := config(5, path(4), rounds, []float64{.25, 1}, []float64{.5, .25}, []float64{.5, .25}, []float64{.75, .25})
	c.Means = [][]float64{{.25, 1}, {.5, .25}, {.5, .25}, {.75, .25}}
	c.Liars = sim.Liars{Count: 1, Claim: sim.ClaimHalf} // peer 3 of 4
	c.Faults = sim.Faults{Loss: .1, Churn: .01}
	pulls := make(map[uint64][2]uint64) // of honest peers, by arm, by number of rounds
	c.Watch = func(r protocol.Round, agents []*node.Agent) {
		var sum [2]uint64
		for _, a := range agents[:3] {
			for k, n := range a.Belief().Pulls {
				sum[k] += n
			}
		}
		pulls[uint64(r)+1] = sum
	}
	res := require.Value(sim.Run(c))(t)
	if len(res.Points) != points || res.Points[points-1] != rounds {
		t.Errorf("points %v", res.Points)
	}
	for i, after := range res.Points {
		want := .0625 * float64(pulls[after][1]) / 3
		if math.Abs(res.Regret[i]-want) > 1e-9 {
			t.Errorf("after %d rounds: %v, want %v", after, res.Regret[i], want)
		}
	}
	own := .75*float64(res.Pulls[0][0]) + .25*float64(res.Pulls[1][1]+res.Pulls[2][1])
	if math.Abs(*res.OwnRegret-own/3) > 1e-9 {
		t.Errorf("against the best arms of their own sites %v, want %v", *res.OwnRegret, own/3)
	}
	known := len(res.Sites) == 3 // without the liar
	for i, s := range res.Sites {
		gap, worse := .25, res.Pulls[i][1]
		if i == 0 {
			gap, worse = .75, res.Pulls[i][0]
		}
		known = known && s.Number == i && s.Gap == gap && math.Abs(s.Regret-gap*float64(worse)) < 1e-9 && s.Decisions == res.Pulls[i][0]+res.Pulls[i][1]
	}
	if !known {
		t.Errorf("sites %+v, with pulls %v", res.Sites, res.Pulls)
	}
	if last := pulls[rounds]; last[0]+last[1] >= 3*rounds || last[1] == 0 {
		t.Errorf("pulls %v: nobody was away, or nothing was lost by anybody", last)
	}
}

// TestSitesOfLittleTrafficLearn what others know: only decisions cause regret, a peer without one
// receives and sends as usual, and all peers have the same weight whatever their traffic.
func TestSitesOfLittleTrafficLearn(t *testing.T) {
	const rounds = 4000
	c := signed(config(3, ring(3), rounds, []float64{.9, .1}))
	c.Spec.Protocol, c.Spec.Privacy.Mechanism = phases(), dp.EachLaplace
	for i := 1; i < 3; i++ {
		c.Worlds[i] = rare{c.Worlds[i], uint64(i)}
	}
	res := require.Value(sim.Run(c))(t)
	want := 0.
	for i, pulls := range res.Pulls {
		n := uint64(rounds)
		if i > 0 {
			n = rounds * 2 / 5
		}
		if pulls[0]+pulls[1] != n {
			t.Errorf("peer %d made %d decisions in %d rounds, want %d", i, pulls[0]+pulls[1], rounds, n)
		}
		if pulls[1] > n/4 {
			t.Errorf("peer %d pulled the worse arm %d times of %d", i, pulls[1], n)
		}
		want += .8 * float64(pulls[1]) / 3
	}
	if got := res.Regret[len(res.Regret)-1]; math.Abs(got-want) > 1e-9 {
		t.Errorf("regret %v, want %v", got, want)
	}
}

// TestOwnRegretIsOfTheRound: where what arms pay depends on the round, own regret is against the best arm of that round;
// and the second half and the last quarter of the rounds have their parts of it.
func TestOwnRegretIsOfTheRound(t *testing.T) {
	const rounds = 1001
	c := config(7, ring(3), rounds, []float64{.9, .1})
	c.OwnGap = func(site int, a bandit.Arm, round uint64) float64 {
		if uint64(a) == round%2 {
			return 0
		}
		return float64(site+1) * float64(1+round)
	}
	var ones [3]int // pulls of arm 1, by peer
	type part struct{ all, half, quarter sim.Late }
	var want [3]part
	c.Watch = func(at protocol.Round, agents []*node.Agent) {
		for i, a := range agents {
			pulls := a.Belief().Pulls
			was, p := want[i].all, &want[i]
			arm := bandit.Arm(0)
			if pulls[1] > uint64(ones[i]) {
				ones[i]++
				arm = 1
			}
			lost := sim.Late{Regret: was.Regret + c.OwnGap(i, arm, uint64(at)), Decisions: was.Decisions + 1}
			for _, l := range []struct {
				of   *sim.Late
				from float64
			}{{&p.all, 0}, {&p.half, rounds / 2.}, {&p.quarter, rounds * 3 / 4.}} {
				if float64(at) >= l.from {
					l.of.Regret += lost.Regret - was.Regret
					l.of.Decisions++
				}
			}
		}
	}
	res := require.Value(sim.Run(c))(t)
	sum := 0.
	for i, s := range res.Sites {
		if (part{sim.Late{Regret: s.Regret, Decisions: s.Decisions}, s.Half, s.Quarter}) != want[i] || s.Gap != 0 {
			t.Errorf("site %d: %+v, want %+v", i, s, want[i])
		}
		sum += s.Regret / 3
	}
	if len(res.Sites) != 3 || math.Abs(*res.OwnRegret-sum) > 1e-6*sum || len(res.OwnCurve) != len(res.Points) {
		t.Errorf("%d sites, mean %v, want 3 and %v", len(res.Sites), *res.OwnRegret, sum)
	}
}

// TestSitesAreNumberedWithoutRelays: a relay has no arms and is no site, so the peer after it is site 0, also where what
// arms pay depends on the round.
func TestSitesAreNumberedWithoutRelays(t *testing.T) {
	c := config(3, ring(3), 100, []float64{.9, .1})
	relayed := plainRows()
	relayed.Relays = 1
	c.Spec.Protocol, c.Worlds[0] = relayed, nil
	asked := map[int]bool{}
	c.OwnGap = func(site int, _ bandit.Arm, _ uint64) float64 {
		asked[site] = true
		return 1
	}
	res := require.Value(sim.Run(c))(t)
	if len(res.Sites) != 2 || res.Sites[0].Number != 0 || res.Sites[1].Number != 1 || !asked[0] || !asked[1] || len(asked) != 2 {
		t.Errorf("sites %+v, and what %v pay", res.Sites, asked)
	}
}
