package daemon

import (
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/api"
)

// TestGainIsEstimatedNowAndThen: as soon as there is something to compare, and then after some minutes with more decisions.
func TestGainIsEstimatedNowAndThen(t *testing.T) {
	var g gains
	d := &Deployment{s: new(config.Settings)}
	now := time.Now()
	arms := []api.Arm{{Name: "mail", Pulls: 60}, {Name: "call", Pulls: 40}}
	why := func() string { return missing(d, arms, nil) }
	if x := g.of(why()); why() == "" || !strings.Contains(x.Sentence, "is not known yet: no reward is released") || x.Saved != nil {
		t.Errorf("%+v", x)
	}
	for k := range arms {
		arms[k].Own, arms[k].Borrowed, arms[k].Sites = 4, 4, 1
	}
	if x := g.of(why()); !g.due(arms, now) || x.Sentence != "what joining has gained is being computed" {
		t.Errorf("%+v", x)
	}
	g.keep(&api.Gain{Sentence: "known", Decisions: 100}, now)
	more := []api.Arm{{Name: "mail", Pulls: 67, Own: 4, Sites: 1}, {Name: "call", Pulls: 40, Own: 4}}
	if x := g.of(why()); x.Sentence != "known" || g.due(more, now.Add(gainEvery-1)) || g.due(arms, now.Add(gainEvery)) || !g.due(more, now.Add(gainEvery)) {
		t.Errorf("%+v", x)
	}
	var other gains
	d.s.API.Baseline, d.s.API.BaselineShare = "mail", .5
	if x := other.of(why()); !strings.Contains(x.Sentence, "mail has a share of the decisions (api.baseline)") {
		t.Errorf("%+v", x)
	}
}

// TestAnActionThatNoSiteHasPlayedIsNotCompared: if it was added; gain is stated again without waiting for its first reward.
func TestAnActionThatNoSiteHasPlayedIsNotCompared(t *testing.T) {
	d := &Deployment{s: &config.Settings{Arms: []string{"mail", "call"}}}
	d.actions.Names = []string{"mail", "call", "blue", "white"}
	s := node.Status{Means: make([]float64, 4), Samples: make([]float64, 4), Noise: make([]float64, 4), Pulls: []uint64{3, 0, 0, 1}}
	var names []string
	for _, a := range d.compared(&s, nil) {
		names = append(names, a.Name)
	}
	if want := []string{"mail", "call", "white"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
