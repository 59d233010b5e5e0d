package sim_test

import (
	"math"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
	"peerd.dev/protocol/protocoltest"
	"peerd.dev/protocol/rows"
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
		{sim.Liars{Count: 1, Messages: sim.MessagesWithheld}, math.NaN(), math.NaN(), .3},
	} {
		c := signed(config(1, ring(4), rounds, []float64{.8, .3}))
		c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Privacy.Budget = rows.Params{Every: 20, Pull: 20, Merge: rows.MergeMean}, dp.None, account.Unlimited
		for i := range 4 {
			c.Keys[i] = protocoltest.Keys(protocol.Peer(i))
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
		if _, err := sim.Run(c); err != nil {
			t.Fatal(err)
		}
	}
}
