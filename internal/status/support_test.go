package status

import (
	"strings"
	"testing"

	"peerd.dev/node/api"
)

// TestStatusSaysWhatEstimatesRestOn, and which sites are like this one.
func TestStatusSaysWhatEstimatesRestOn(t *testing.T) {
	var w strings.Builder
	sites := []api.Alike{{Name: "a", Apart: .012}, {Name: "b", Apart: .02}, {Name: "c", Apart: .03}, {Name: "d", Apart: .1}, {Name: "e", Apart: .2}, {Name: "f", Apart: .21}, {Name: "g", Apart: .35}}
	Status(&w, api.Status{Pulls: []uint64{2000, 3, 0, 0}, Alike: sites}, []api.Arm{
		{Name: "red", Pulls: 2000, Own: 1240, Borrowed: 3399.6, Sites: 6},
		{Name: "green", Pulls: 3, Own: 0, Borrowed: 1234567, Sites: 1},
		{Name: "blue", Own: 7},
		{Name: "white"},
	})
	for _, want := range []string{
		"1,240 own, 3,400 borrowed from 6 sites\n", "0 own, 1,234,567 borrowed from 1 site\n", "  7 own\n", "  -\n",
		"from the ones here: a 0.012, b 0.02, c 0.03, d 0.1, e 0.2, and 2 more, up to 0.35\n",
	} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("no %q in\n%s", want, w.String())
		}
	}
	w.Reset()
	if Status(&w, api.Status{StoppedNotice: "a third rests on site-3"}, nil); !strings.Contains(w.String(), "\nSTOPPED: a third rests on site-3\n") {
		t.Error(w.String())
	}
	w.Reset()
	if Status(&w, api.Status{}, nil); strings.Contains(w.String(), "means are from") {
		t.Error(w.String())
	}
}

// TestStatusShowsNamesAsTheyAre: an action that others signed may have any name.
func TestStatusShowsNamesAsTheyAre(t *testing.T) {
	var w strings.Builder
	Status(&w, api.Status{Best: "b\nc", Drifted: []string{"d\ne"}}, []api.Arm{{Name: "a\tb\x1b[31m"}})
	for _, want := range []string{`a\u0009b\u001b[31m  hidden`, `b\u000ac is the best`, `the mean of d\u000ae has changed`} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("no %s in\n%s", want, w.String())
		}
	}
}
