package gain

import (
	"strings"
	"testing"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
)

const file = "../../../configs/testnet.yaml"

// TestGain: with means that are well known, a site has lost its pulls times the gaps, and alone it loses as much as
// the default testnet's shops do. Little evidence, or noise, makes the ranges wide.
func TestGain(t *testing.T) {
	c, err := plan.Schema().Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	arms := []api.Arm{
		{Name: "mail", Pulls: 9_940, Estimate: .62, Own: 1e6},
		{Name: "banner", Pulls: 40, Estimate: .45, Own: 1e6},
		{Name: "call", Pulls: 20, Estimate: .30, Own: 1e6},
		{Name: "old", Pulls: 7, Estimate: .9, Own: 9, Retired: true},
	}
	g, err := Estimate(t.Context(), &c.Settings, arms)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", g)
	if lost := 40*.17 + 20*.32; g.Together.Low < lost-.5 || g.Together.High > lost+.5 {
		t.Errorf("lost %+v, want %v", g.Together, lost)
	}
	if g.Alone.Median < 25 || g.Alone.Median > 75 { // internal/lab/testnet's baseline has about 45
		t.Errorf("alone %+v", g.Alone)
	}
	if x := g.Alone.Median - g.Together.Median; g.Saved.Median < x-.5 || g.Saved.Median > x+.5 || g.Saved.Low <= 0 || g.Decisions != 10_000 {
		t.Errorf("%+v", g)
	}
	arms[1].Own, arms[2].NoiseSD = 4, .2
	wide, err := Estimate(t.Context(), &c.Settings, arms)
	if err != nil || wide.Together.High-wide.Together.Low < 100*(g.Together.High-g.Together.Low) || wide.Saved.Low > 0 {
		t.Errorf("with 4 rewards of an arm, and noise at another: %+v, %v", wide, err)
	}
}

// TestAGainThatIsNotKnown is refused with the reason.
func TestAGainThatIsNotKnown(t *testing.T) {
	c, err := plan.Schema().Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, arms := range map[string][]api.Arm{
		"nothing is known of banner": {{Name: "mail", Pulls: 3, Own: 3}, {Name: "banner"}},
		"decisions is not shown":     {{Name: "mail", Own: 3}, {Name: "banner", Own: 1}},
	} {
		if _, err := Estimate(t.Context(), &c.Settings, arms); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
