package sim_test

import (
	"math"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// TestLiesChangeOverRounds: one of four sites whose arms pay .8 and .3 lies, and the means of the others are what it says, halfway
// and at the end.
func TestLiesChangeOverRounds(t *testing.T) {
	const rounds = 4000
	for _, l := range []struct {
		sim.Liars
		half, end float64 // of the liar's mean of arm 0
		other     float64 // of its mean of arm 1, at the end
	}{
		{sim.Liars{Count: 1, Pay: sim.PayReversed}, .2, .2, .7},
		{sim.Liars{Count: 1, Pay: sim.PayLate}, .8, .2, .7},
		{sim.Liars{Count: 1, Pay: sim.PayDrift}, .5, .2, .7},
		{sim.Liars{Count: 1, Pay: sim.PaySwapped}, .3, .3, .8},
		{sim.Liars{Count: 1, Pay: sim.PayNear}, .27, .27, .3},
		{sim.Liars{Count: 1, Messages: sim.MessagesWithheld}, math.NaN(), math.NaN(), .3},
	} {
		c := signed(config(1, ring(4), rounds, []float64{.8, .3}))
		c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Privacy.Budget = running.Params{Every: 20, Pull: 20, Merge: rows.MergeMean, F: 1}, dp.None, account.Unlimited
		for i := range 4 {
			c.Keys[i] = vouch.For[protocol.Keys](protocoltest.Keys(protocol.Peer(i)))
		}
		c.Points, c.Truth, c.Liars = 1, []float64{.8, .3}, l.Liars
		said := func(agents []*node.Agent, arm int) float64 {
			for _, s := range agents[0].Belief().Sites[arm] {
				if c.Liars.Is(s.Peer, 4) {
					return s.Mean
				}
			}
			return math.NaN()
		}
		check := func(when string, got, want float64) {
			if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > .07 {
				t.Errorf("%+v: %s a site is told %.3f, want %.3f", l.Liars, when, got, want)
			}
		}
		c.Watch = func(at protocol.Round, agents []*node.Agent) {
			switch at {
			case rounds/2 - 10:
				check("halfway", said(agents, 0), l.half)
			case rounds - 1:
				check("at the end", said(agents, 0), l.end)
				if other := said(agents, 1); math.Abs(other-l.other) > .2 { // of few rewards
					t.Errorf("%+v: a site is told %.3f of arm 1, want %.3f", l.Liars, other, l.other)
				}
			}
		}
		require.Value(sim.Run(c))(t)
	}
}

// TestLiarsCopyAnHonestSite: of four sites the last one lies, whose own arms pay differently. A copycat says of the worse arm
// what the first site says, and a patient liar of both arms at first; at the end both say the best arm is a little
// worse than the second best one.
func TestLiarsCopyAnHonestSite(t *testing.T) {
	const rounds = 8000
	means := [][]float64{{.8, .6}, {.8, .6}, {.8, .6}, {.4, .9}}
	copied := math.NaN()
	for _, l := range []struct {
		pay        sim.Pay
		early, end [2]float64 // what the liar says of both arms after a twentieth of the rounds, and after all
	}{
		// Over all sites the arms pay .7 and .675.
		{sim.PayCopycat, [2]float64{.645, copied}, [2]float64{.645, copied}},
		{sim.PayPatient, [2]float64{copied, copied}, [2]float64{.645, .9}},
	} {
		c := signed(config(2, ring(4), rounds, means...))
		c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Privacy.Budget = running.Params{Every: 5, Pull: 20, Merge: rows.MergeMean, F: 1}, dp.None, account.Unlimited
		for i := range 4 {
			c.Keys[i] = vouch.For[protocol.Keys](protocoltest.Keys(protocol.Peer(i)))
		}
		c.Points, c.Truth, c.Liars = 1, []float64{.7, .675}, sim.Liars{Count: 1, Pay: l.pay}
		said := func(agents []*node.Agent, peer protocol.Peer, arm int) float64 {
			for _, s := range agents[1].Belief().Sites[arm] {
				if protocol.Peer(s.Peer) == peer {
					return s.Mean
				}
			}
			return math.NaN()
		}
		c.Watch = func(at protocol.Round, agents []*node.Agent) {
			for arm, want := range map[protocol.Round][]float64{rounds/20 - 2: l.early[:], rounds - 1: l.end[:]}[at] {
				if math.IsNaN(want) {
					want = said(agents, 0, arm)
				}
				if got := said(agents, 3, arm); !(math.Abs(got-want) < .05) {
					t.Errorf("%s: in round %d the liar says %.3f of arm %d, want %.3f", l.pay, at, got, arm, want)
				}
			}
		}
		res := require.Value(sim.Run(c))(t)
		if res.Refused > 0 {
			t.Errorf("%s: %d messages of a liar are refused", l.pay, res.Refused)
		}
	}
}

// TestAMillionRewardsAreBelieved: where the budget lasts for as many rounds, nine of ten sites claim a million rewards of every arm, no row is refused, and the only
// honest site holds what they say.
func TestAMillionRewardsAreBelieved(t *testing.T) {
	c := signed(config(1, regular(t, 10, 9, 1), 1000, []float64{.8, .3}))
	c.Spec.Protocol, c.Spec.Privacy.Mechanism = phases(), dp.EachLaplace
	c.Spec.Privacy.Horizon = 1_000_000
	c.Points, c.Truth, c.Liars = 1, []float64{.8, .3}, sim.Liars{Count: 9, Claim: sim.ClaimMillion, Pay: sim.PayNear}
	c.Watch = func(at protocol.Round, agents []*node.Agent) {
		if at != 999 {
			return
		}
		for _, s := range agents[0].Belief().Sites[0] {
			if s.Peer != 0 && (s.Released != 1_000_000 || math.Abs(s.Mean-.27) > .001) {
				t.Errorf("%+v, want a mean of .27 of a million rewards", s)
			}
		}
	}
	res := require.Value(sim.Run(c))(t)
	if res.Refused > 0 || len(res.Pulls) != 10 {
		t.Errorf("%d messages are refused", res.Refused)
	}
}
