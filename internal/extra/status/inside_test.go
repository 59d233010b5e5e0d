package status

import (
	"strings"
	"testing"

	"peerd.dev/node/api"
)

// TestALineSaysWhatIsInside: those with most rewards first, none without one, and only numbers of decisions by features.
func TestALineSaysWhatIsInside(t *testing.T) {
	var w strings.Builder
	all := []api.InsideAction{{Name: "banner", Rewards: 300, Mean: .44}, {Name: "new", Estimate: .5}, {Name: "mail", Rewards: 812, Mean: .62}}
	if Inside(&w, &api.Inside{Given: 40, Kept: 1194, Actions: all}); w.String() != "inside: 1,234 decisions, 40 of them given; mail 0.62 (812 rewards), banner 0.44 (300)\n" {
		t.Error(w.String())
	}
	w.Reset()
	if Inside(&w, &api.Inside{Kept: 7, Gain: &api.Gain{Sentence: "joining has saved them"}}); w.String() != "inside: 7 decisions, 0 of them given\njoining has saved them\n" {
		t.Error(w.String())
	}
	w.Reset()
	for range mostInside {
		all = append(all, api.InsideAction{Name: "a\x1b[31m", Rewards: 1})
	}
	if Inside(&w, &api.Inside{Actions: all}); !strings.HasSuffix(w.String(), "; 2 more are in /v1/inside\n") || strings.Contains(w.String(), "\x1b") {
		t.Error(w.String())
	}
}
