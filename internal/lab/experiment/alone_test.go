package experiment

import (
	"math"
	"reflect"
	"testing"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// playAlone plays the sites of the default testnet alone.
func playAlone(t *testing.T, set ...string) sim.Result {
	t.Helper()
	c := require.Value(plan.Schema().Load("../../../configs/testnet.yaml", append([]string{"mode=lockstep", "seed=1", "rounds.count=2000"}, set...)))(t)
	source := require.Value(plan.OpenWorld(&c.Settings, 5))(t)
	s := require.Value(SimulateAlone(&c.Settings, source, 1))(t)
	s.Bytes = true
	return require.Value(sim.Run(s))(t)
}

// TestNothingLeavesASiteAlone: it sends and releases nothing, spends nothing, and loses the same at every ε and with every
// mechanism.
func TestNothingLeavesASiteAlone(t *testing.T) {
	for _, x := range [][]string{
		{"learner.name=imed"},
		{"learner.name=personalized"},
		{"learner.name=ucb", "protocol.name=rows", "privacy.mechanism=kary", "privacy.horizon=2000"}, // which releases by the clock
		{"learner.name=ucb", "protocol.name=average", "privacy.mechanism=tree", "privacy.horizon=2000"},
	} {
		r := playAlone(t, append(x, "experiment.alone=true")...)
		if r.Messages != 0 || r.Bytes != 0 || r.Released != 0 || r.Spent != 0 {
			t.Errorf("%s: %d messages, %d bytes, %d releases, ε %v", x, r.Messages, r.Bytes, r.Released, r.Spent)
		}
		if other := playAlone(t, append(x, "experiment.alone=true", "privacy.epsilon=0.01", "privacy.accept_weak=true")...); !reflect.DeepEqual(r, other) {
			t.Errorf("%s: %v at one ε, %v at another", x, r.Regret, other.Regret)
		}
		if noised := playAlone(t, append(x, "experiment.alone_noised=true")...); noised.Released == 0 || noised.Spent != 1 || *noised.OwnRegret <= *r.OwnRegret {
			t.Errorf("%s, with the noise of a network: %d releases, ε %v, regret %v, without %v", x, noised.Released, noised.Spent, *noised.OwnRegret, *r.OwnRegret)
		}
	}
}

// TestAloneNoisedIsAsBefore: to the last digit it loses what sites alone lost before they had no noise (commit ff0ee882).
func TestAloneNoisedIsAsBefore(t *testing.T) {
	r := playAlone(t, "learner.name=imed", "rounds.count=3000", "experiment.alone_noised=true")
	if all, own := r.Regret[len(r.Regret)-1], *r.OwnRegret; all != 89.36600000000722 || own != 47.90399999999956 {
		t.Errorf("regret %v, own %v", all, own)
	}
}

// TestABaselineIsOfEachSite: each site has a curve of its own, the same whether it keeps decisions, and their mean is what sites alone lose.
func TestABaselineIsOfEachSite(t *testing.T) {
	var of [2]Baseline
	for i, answers := range []string{"anyone", "inside"} {
		c := require.Value(plan.Schema().Load("../../../configs/testnet.yaml", []string{"mode=lockstep", "seed=1", "rounds.count=300", "privacy.answers=" + answers}))(t)
		sites := plan.TestnetOf(&c.Settings).Nodes
		source, err := plan.OpenWorld(&c.Settings, sites)
		if err != nil {
			t.Fatal(err)
		}
		links := make([][]protocol.Peer, sites) // so that together is alone, apart from noise
		of[i] = require.Value(NewBaseline(t.Context(), &c.Settings, source, links))(t)
		_, all, err := curves(t.Context(), func(run uint64) (sim.Config, error) { return SimulateAlone(&c.Settings, source, run) })
		if err != nil {
			t.Fatal(err)
		}
		together := all.At(300)
		sum := 0.
		for _, own := range of[i].OwnAlone {
			sum += own.At(300) / float64(sites)
		}
		if len(of[i].OwnAlone) != sites || math.Abs(sum-together) > 1e-9 {
			t.Errorf("%d sites, whose mean is %v, and %v together", len(of[i].OwnAlone), sum, together)
		}
	}
	if !reflect.DeepEqual(of[0].Alone, of[1].Alone) || !reflect.DeepEqual(of[0].OwnAlone, of[1].OwnAlone) || len(of[0].Together) != len(of[0].Alone) || reflect.DeepEqual(of[0].Together, of[1].Together) {
		t.Errorf("%+v, where some are kept %+v", of[0], of[1])
	}
}
