package gain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node"
	"peerd.dev/node/api"
)

// TestGainIsEstimatedNowAndThen: as soon as there is something to compare, and then after some minutes with more decisions.
func TestGainIsEstimatedNowAndThen(t *testing.T) {
	var g gains
	d := &daemon.Sight{Settings: new(config.Settings)}
	now := time.Now()
	arms := []api.Arm{{Name: "mail", Pulls: 60}, {Name: "call", Pulls: 40}}
	why := func() string { return missing(d, arms) }
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
	d.Settings.API.Baseline, d.Settings.API.BaselineShare = "mail", .5
	if x := other.of(why()); !strings.Contains(x.Sentence, "mail has a share of the decisions (api.baseline)") {
		t.Errorf("%+v", x)
	}
}

// TestAnActionThatNoSiteHasPlayedIsNotCompared: if it was added; gain is stated again without waiting for its first reward.
func TestAnActionThatNoSiteHasPlayedIsNotCompared(t *testing.T) {
	d := &daemon.Sight{
		Settings: &config.Settings{Arms: []string{"mail", "call"}},
		Arms:     []api.Arm{{Name: "mail", Pulls: 3}, {Name: "call"}, {Name: "blue"}, {Name: "white", Pulls: 1}},
	}
	var names []string
	for _, a := range compared(d) {
		names = append(names, a.Name)
	}
	if want := []string{"mail", "call", "white"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// TestGainInsideFollowsFromExactRewards: it needs no released one of the site's own, is not computed by features or known where a mean has changed, and
// a site alone waits as long as this one did.
func TestGainInsideFollowsFromExactRewards(t *testing.T) {
	s := node.Status{Pulls: []uint64{4, 0}, Pending: 3}
	x := &node.Inside{Given: 1, Kept: 99, Pending: 5, Pulls: []uint64{80, 20}, Rewards: []float64{75, 20}, Means: []float64{.8, .2}, Estimates: []float64{.7, .3}}
	d := &daemon.Sight{Settings: &config.Settings{Arms: []string{"mail", "call"}}, Status: &s, Inside: x, Arms: []api.Arm{
		{Name: "mail", Estimate: .5, Samples: 9, NoiseSD: .2, Pulls: 4, Borrowed: 4, Sites: 1}, {Name: "call", Estimate: .5, Samples: 9, NoiseSD: .2, Borrowed: 4, Sites: 1},
	}}
	arms := compared(d)
	if a := arms[0]; a.Pulls != 80 || a.Own != 75 || a.Borrowed != 4 || a.Estimate != .7 || a.NoiseSD != 0 {
		t.Errorf("%+v", a)
	}
	if why := missing(d, arms); why != "" {
		t.Error(why)
	}
	seen := *d
	seen.Inside = nil
	if why := missing(&seen, compared(&seen)); !strings.Contains(why, "no reward of this site is known") {
		t.Error(why)
	}
	var g gains
	if n := g.wait(&s, nil); n != 3 {
		t.Errorf("%d wait by the status", n)
	}
	if n := g.wait(&s, x); n != 5 {
		t.Errorf("%d wait inside", n)
	}
	x.Kept, x.Pending = 2000, 2
	if n := g.wait(&s, x); n != 5 {
		t.Errorf("%d waited inside", n)
	}
	if why := missing(d, arms); !strings.Contains(why, "what an action pays here has changed") {
		t.Error(why)
	}
	if why := missing(&daemon.Sight{Settings: d.Settings, ByFeatures: true}, nil); !strings.HasSuffix(why, "not computed for learners by features") {
		t.Errorf("a learner by features that has decided: %s", why)
	}
	d.Spec.Inside = 1
	if why := missing(d, arms); why != "" {
		t.Error(why)
	}
	d.Inside = &node.Inside{Kept: 9}
	if why := missing(d, arms); !strings.HasSuffix(why, "not computed for learners by features") {
		t.Error(why)
	}
}
