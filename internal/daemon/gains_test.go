package daemon

import (
	"strings"
	"testing"
	"time"

	"peerd.dev/node/api"
)

// TestGainIsEstimatedNowAndThen: as soon as there is something to compare, and then after some minutes with more decisions.
func TestGainIsEstimatedNowAndThen(t *testing.T) {
	var g gains
	now := time.Now()
	arms := []api.Arm{{Name: "mail", Pulls: 60}, {Name: "call", Pulls: 40}}
	if x := g.of(arms); g.due(arms, now) || !strings.Contains(x.Sentence, "is not known yet: no reward is released") || x.Saved != nil {
		t.Errorf("%+v", x)
	}
	for k := range arms {
		arms[k].Own, arms[k].Borrowed, arms[k].Sites = 4, 4, 1
	}
	if x := g.of(arms); !g.due(arms, now) || x.Sentence != "what joining has gained is being computed" {
		t.Errorf("%+v", x)
	}
	g.keep(&api.Gain{Sentence: "known", Decisions: 100}, now)
	more := []api.Arm{{Name: "mail", Pulls: 67, Own: 4, Sites: 1}, {Name: "call", Pulls: 40, Own: 4}}
	if x := g.of(more); x.Sentence != "known" || g.due(more, now.Add(gainEvery-1)) || g.due(arms, now.Add(gainEvery)) || !g.due(more, now.Add(gainEvery)) {
		t.Errorf("%+v", x)
	}
}
