package joining

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/stats"
)

// TestSentences: by hand, of sites that lose 20 alone.
func TestSentences(t *testing.T) {
	for _, x := range []struct {
		more stats.Interval // lost more than alone
		want string
	}{
		{stats.Interval{Mean: -7.9, Low: -9.2, High: -6.6}, "Joining saves a site 7.9 (6.6 to 9.2) rewards; alone it loses 20.0 in its first 1,000 decisions."},
		{stats.Interval{Mean: 4.1, Low: 2.8, High: 5.4}, "Joining costs a site 4.1 (2.8 to 5.4) rewards; alone it loses 20.0 in its first 1,000 decisions."},
		{stats.Interval{Mean: -1.5, Low: -33.3, High: 30.3}, "Not decided after 9 networks: joining saves a site 1.5 (-30.3 to 33.3) rewards; alone it loses 20.0 in its first 1,000 decisions."},
		{stats.Interval{}, "Not decided after 9 networks: joining saves a site 0.0 (0.0 to 0.0) rewards; alone it loses 20.0 in its first 1,000 decisions."},
	} {
		own := func(mean, p95 float64, ratios *experiment.OwnRatios) experiment.OwnDocument {
			return experiment.OwnDocument{Mean: stats.Interval{Mean: mean}, P95: stats.Interval{Mean: p95}, ToAlone: ratios}
		}
		ratios := &experiment.OwnRatios{More: x.more}
		doc := &experiment.Document{Seeds: 9, Cells: []experiment.CellDocument{
			{Owns: []experiment.OwnDocument{own(20, 30, nil)}},
			{Owns: []experiment.OwnDocument{own(12, 14, ratios)}},
			{Owns: []experiment.OwnDocument{own(1, 1, nil), own(22, 31, nil), own(1, 1, nil)}},
			{Owns: []experiment.OwnDocument{own(1, 1, ratios), own(13, 15, ratios), own(1, 1, ratios)}},
		}}
		d := Document{Sites: 10, Actions: 5, Decisions: 1000, Late: 9, Epsilon: 1}
		for range 2 { // the second time in place of the first
			require.NoError(t, d.sumUp(doc))
		}
		if len(d.Answer) != 4 || d.Answer[0] != x.want || !strings.Contains(d.Answer[1], "a site that comes 9 decisions later") {
			t.Errorf("%q, want %q", d.Answer, x.want)
		}
		if r := d.Rows; len(r) != 2 || r[0].Most != [2]float64{30, 14} || r[1].Alone.Mean != 22 || r[1].Together.Mean != 13 || r[1].Most != [2]float64{31, 15} || r[0].Saved.Low != -x.more.High {
			t.Errorf("%+v", r)
		}
	}
}

// TestAnInterruptKeepsWhatIsPlayed: with 8 networks there is an answer, and before there is none.
func TestAnInterruptKeepsWhatIsPlayed(t *testing.T) {
	for long := time.Millisecond; ; long *= 2 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(long, cancel)
		d := Document{Sites: 12, Actions: 2, Decisions: 200, Late: 100, Epsilon: 1}
		switch err := d.Play(ctx, 600, io.Discard); {
		case err == nil && d.Interrupted && d.Networks >= 8 && len(d.Rows) == 2 && len(d.Answer) == 4:
			return
		case err == nil || err.Error() != context.Canceled.Error() || d.Interrupted || d.Networks > 0:
			t.Fatalf("%v, %+v", err, d)
		}
	}
}

// TestWhatWouldChangeIt: the rule gives something with the sites, or with the epsilon, that the sentence names, and not with fewer or less.
func TestWhatWouldChangeIt(t *testing.T) {
	for _, x := range []struct {
		d       Document
		want    string
		sites   int
		epsilon float64
	}{
		{Document{Sites: 20, Actions: 5, Epsilon: .3}, "20 sites at ε = 0.3 would learn too little from each other, so nothing is given, and joining saves exactly 0. Something is given with 38 sites, or with ε = 0.5.", 38, .5},
		{Document{Sites: 2, Actions: 5, Epsilon: 1}, "Something is given with 7 sites.", 7, 0},
		{Document{Sites: 50, Actions: 81, Epsilon: 1}, "Something is given with fewer actions.", 0, 0},
	} {
		if nothing := x.d.nothing(); !nothing || !strings.HasSuffix(x.d.Answer[0], x.want) {
			t.Errorf("%q, want %q", x.d.Answer, x.want)
		}
		given := func(sites int, epsilon float64) bool {
			d := Document{Sites: sites, Actions: x.d.Actions, Epsilon: epsilon}
			return !d.nothing()
		}
		if x.sites > 0 && !given(x.sites, x.d.Epsilon) || given(x.sites-1, x.d.Epsilon) || x.epsilon > 0 && (!given(x.d.Sites, x.epsilon) || given(x.d.Sites, x.epsilon-.1)) {
			t.Errorf("the rule differs from %q", x.want)
		}
	}
}

// TestNothingGivenSavesNothing: where the rule gives nothing, sites that are linked lose what the same sites lose alone.
func TestNothingGivenSavesNothing(t *testing.T) {
	load := func(set string) *config.Settings {
		t.Helper()
		c := require.Value(plan.Schema().Load("", strings.Fields("mode=lockstep seed=1 arms=[a,b,c] testnet.nodes=2 testnet.topology=complete world.kind=bernoulli world.bernoulli.draw=shared learner.name=personalized protocol.name=phases privacy.epsilon=1 privacy.accept_weak=true privacy.horizon=500 "+set)))(t)
		return &c.Settings
	}
	alone, together := load("experiment.alone=true"), load("privacy.answers=inside give.sites=2")
	source := require.Value(plan.OpenWorld(alone, 2))(t)
	graph, _, err := graphs.Build("complete", 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	results := require.Value(stats.Runs(t.Context(), []uint64{1}, func(seed uint64) (sim.Config, error) { return experiment.SimulateAlone(alone, source, seed) }, nil))(t)
	others := require.Value(stats.Runs(t.Context(), []uint64{1}, func(seed uint64) (sim.Config, error) {
		return experiment.Simulate(together, source, config.Neighbours(2, graph.Edges()), seed)
	}, nil))(t)
	for i, s := range results[0].Sites {
		if s.Regret == 0 || s.Regret != others[0].Sites[i].Regret {
			t.Errorf("site %d loses %v alone and %v together", i, s.Regret, others[0].Sites[i].Regret)
		}
	}
}
