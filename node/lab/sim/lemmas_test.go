package sim_test

import (
	"flag"
	"fmt"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	settings "peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/graphs"
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
	l := lemmasOf(t, c)
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
		if !m.Tiles() {
			if _, err := c.CheckLemmas(); err == nil {
				t.Errorf("%v: lemmas were checked", m)
			}
		} else if l := lemmasOf(t, c); l.Checked == 0 || l.Broken() > 0 {
			t.Errorf("%v: %+v", m, l)
		}
	}
}

// lemmasOf plays a run and returns what was counted.
func lemmasOf(t *testing.T, c sim.Config) *sim.Lemmas {
	t.Helper()
	l, err := c.CheckLemmas()
	if err == nil {
		_, err = sim.Run(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var lemmaRounds = flag.Uint64("lemma-rounds", 4000, "rounds of TestLemmasHoldOnFigures")

// TestLemmasHoldOnFigures 2a and 2b of paper 004, in every cell; scripts/show.sh lemmas plays all rounds.
func TestLemmasHoldOnFigures(t *testing.T) {
	for _, name := range []string{"fig2a", "fig2b"} {
		c := require.Value(plan.Schema().Load("../../../configs/figures/"+name+".yaml", []string{fmt.Sprint("privacy.horizon=", *lemmaRounds)}))(t)
		cells := require.Value(plan.Cells(c))(t)
		for _, cell := range cells {
			net := plan.TestnetOf(&cell.Settings)
			g, _, err := graphs.Build(net.Topology, net.Nodes, 1)
			if err != nil {
				t.Fatal(err)
			}
			source := require.Value(plan.OpenWorld(&cell.Settings, net.Nodes))(t)
			run := require.Value(experiment.Simulate(&cell.Settings, source, settings.Neighbours(net.Nodes, g.Edges()), 1))(t)
			l := lemmasOf(t, run)
			t.Logf("%s, %s: %+v", name, cell.Name, *l)
			if l.Checked == 0 || l.Applies == 0 || l.Broken() > 0 {
				t.Errorf("%s, %s: %+v", name, cell.Name, *l)
			}
		}
	}
}
