package sim_test

import (
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node/lab/printed"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

func path(n int) [][]protocol.Peer {
	out := make([][]protocol.Peer, n)
	for i := range n - 1 {
		out[i] = append(out[i], protocol.Peer(i+1))
		out[i+1] = append(out[i+1], protocol.Peer(i))
	}
	return out
}

// TestLemmasOfAveraging: with the paper's own rule the mass is exact, news moves one hop per
// round (Lemma 1), and Lemmas 2 and 3 hold; the test fails if nothing was checked.
func TestLemmasOfAveraging(t *testing.T) {
	const rounds, peers = 6000, 5
	c := config(3, path(peers), rounds, []float64{.8, .5}, []float64{.3, .9})
	ruled(&c, averaging.Max)
	c.Spec.Learner = printed.UCBParams{}
	c.Lemmas = true
	res, err := sim.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	l := res.Lemmas
	if l.Checked != rounds*peers*2 || l.Applies == 0 || l.GreatestBy == 0 || l.GreatestOf < 1 {
		t.Errorf("too little was checked: %+v", l)
	}
	if l.Broken() > 0 {
		t.Errorf("lemmas are broken: %+v", l)
	}
}

// TestLemmasWithEveryMechanism whose nodes add up; the others are refused.
func TestLemmasWithEveryMechanism(t *testing.T) {
	for _, m := range dp.Mechanisms() {
		if !m.Running() {
			continue
		}
		c := config(3, path(3), 500, []float64{.8, .5}, []float64{.3, .9})
		ruled(&c, averaging.Max)
		c.Spec.Privacy.Mechanism = m
		switch {
		case m == dp.None:
			c.Spec.Privacy.Budget = account.Unlimited
		case m.Law() == dp.Gaussian:
			c.Spec.Privacy.Budget.Delta = 1e12 // a millionth
		}
		c.Lemmas = true
		switch res, err := sim.Run(c); {
		case m.Tiles() && err != nil:
			t.Errorf("%v: %v", m, err)
		case m.Tiles() && (res.Lemmas.Checked == 0 || res.Lemmas.Broken() > 0):
			t.Errorf("%v: %+v", m, res.Lemmas)
		case !m.Tiles() && err == nil:
			t.Errorf("%v: lemmas were checked, %d times broken", m, res.Lemmas.Broken())
		}
	}
}

// TestLemmasNeedAFaultlessNetwork: what is in transit is known only if nothing is lost.
func TestLemmasNeedAFaultlessNetwork(t *testing.T) {
	c := config(3, path(3), 100, []float64{.8, .5})
	ruled(&c, averaging.Max)
	c.Lemmas = true
	c.Faults.Loss = .1
	if _, err := sim.Run(c); err == nil {
		t.Error("lemmas were checked on a lossy network")
	}
	c.Faults = sim.Faults{}
	ruled(&c, averaging.Capped)
	if _, err := sim.Run(c); err == nil {
		t.Error("lemmas of consistency max were checked on capped")
	}
	ruled(&c, averaging.Max)
	c.Spec.Protocol = plainRows()
	if _, err := sim.Run(c); err == nil {
		t.Error("lemmas of averaging were checked on rows")
	}
}
