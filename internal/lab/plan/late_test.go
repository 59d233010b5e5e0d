package plan_test

import (
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
)

// TestSharesOfLateSites are of all rounds of the run: those between its beginning and its end, times its share of traffic.
func TestSharesOfLateSites(t *testing.T) {
	for _, x := range []struct {
		set  string
		want []float64
	}{
		{"testnet.nodes=4", []float64{1, 1, 1, 1}},
		{"testnet.nodes=4 world.late.sites=2 world.late.every=100", []float64{1, 1, .9, .8}},
		{"testnet.nodes=4 world.late.sites=4 world.late.every=100 rounds.count=500", []float64{.8, .6, .4, .2}},
		{"testnet.nodes=4 world.late.sites=2 world.late.every=400 world.late.life=500", []float64{.5, .5, .5, .2}},
		{"testnet.nodes=4 world.late.sites=1 world.late.every=500 world.traffic=[1,0.5]", []float64{1, .5, 1, .25}},
		{"testnet.nodes=4 world.late.life=2000 world.traffic=[0.3]", []float64{.3, .3, .3, .3}},
	} {
		c, err := plan.Schema().Load(configtest.Write(t, configtest.Good(nil)), strings.Fields(x.set))
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Shares(&plan.CellConfig{Config: c}); !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", x.set, got, x.want)
		}
	}
}

// TestLateSitesAreSitesWithArms: relays are none.
func TestLateSitesAreSitesWithArms(t *testing.T) {
	file := configtest.Write(t, configtest.Good(map[string]string{
		"protocol.name": "rows", "protocol.rows.relays": "1", "privacy.mechanism": "kary", "testnet.nodes": "4", "world.late.every": "10",
	}))
	if _, err := plan.Schema().Load(file, []string{"world.late.sites=3"}); err != nil {
		t.Error(err)
	}
	const want = "want at most 3, the number of sites, not 4"
	if _, err := plan.Schema().Load(file, []string{"world.late.sites=4"}); err == nil || !strings.Contains(err.Error(), "world.late.sites") || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
