package explain

import (
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
)

// TestSettingsThatCannotWorkAreNamed: each setting with which every run lost linearly, with its number; and not the
// setting next to it with which none did.
func TestSettingsThatCannotWorkAreNamed(t *testing.T) {
	base := []string{
		"mode=lockstep", "seed=1", "arms=[a, b, c, d, e]", "privacy.epsilon=1", "privacy.mechanism=each", "privacy.horizon=40000",
		"learner.name=thompson", "protocol.name=phases", "world.kind=bernoulli", "world.bernoulli.means=[[.5, .45, .4, .3, .2]]", "testnet.nodes=3", "testnet.topology=complete",
	}
	for _, c := range []struct {
		set, key, what string
	}{
		{"", "", ""},
		{"protocol.phases.first=50000", "protocol.phases.first", "5 actions hold 50000 rewards each, and 40000 rounds"},
		{"protocol.phases.first=8001", "protocol.phases.first", "8001 rewards each"},
		{"protocol.phases.first=8000", "", ""},
		{"privacy.epsilon=.01", "privacy.epsilon", "ε = 0.01 over 40000 rounds: after 8000 rewards of each action"},
		{"privacy.records_per_user=100", "privacy.epsilon", "less than 0.065 apart"},
		{"privacy.epsilon=.03", "", ""},
		{"protocol.phases.window=200", "protocol.phases.window", "a window of 200 rounds has 40 rewards of an action"},
		{"protocol.phases.window=5000", "", ""},
		{"protocol.phases.limit=1", "protocol.phases.limit", "a batch closes after 1 rounds, in which a site has 1 rewards"},
		{"protocol.phases.limit=10", "", ""},
		{"world.traffic=[.001, 1, 1]", "", ""},
		{"protocol.phases.limit=1000 world.traffic=[.001,1,1]", "protocol.phases.limit", "after 1000 rounds, in which a site has 1 rewards"},
	} {
		set := append([]string{}, base...)
		if c.set != "" {
			set = append(set, strings.Split(strings.ReplaceAll(c.set, ", ", ","), " ")...)
		}
		got := losing(t, "", set...)
		switch {
		case c.key == "" && len(got) > 0:
			t.Errorf("%q: %v", c.set, got)
		case c.key != "" && (len(got) != 1 || got[0].Key != c.key || !strings.Contains(got[0].What, c.what)):
			t.Errorf("%q: %+v, want %s: …%s…", c.set, got, c.key, c.what)
		}
	}
}

// TestNoShippedConfigurationIsCalledLosing except those that are there to show it.
func TestNoShippedConfigurationIsCalledLosing(t *testing.T) {
	files, err := configtest.Shipped("../..")
	if err != nil {
		t.Fatal(err)
	}
	figures, err := filepath.Glob("../../configs/figures/*.yaml")
	if err != nil || len(files) < 20 || len(figures) < 20 {
		t.Fatal(len(files), len(figures), err)
	}
	for _, file := range append(files, figures...) {
		if strings.HasSuffix(file, "fig2c.yaml") {
			continue // its patients are too few for ε = 1, which is what it shows
		}
		if got := losing(t, file); len(got) > 0 {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

func losing(t *testing.T, file string, set ...string) []config.Losing {
	t.Helper()
	c, err := plan.Schema().Load(file, set)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return LosingIn(&c.Settings)
}
