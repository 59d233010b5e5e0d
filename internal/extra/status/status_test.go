package status

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"peerd.dev/node/api"
)

var update = flag.Bool("update", false, "write testdata")

// TestStatusIsAPage: what is learned by features, in a table of what each adds, without pulls, which are hidden, and without
// estimates of 0; what estimates rest on, and which sites are like this one; what joining has gained; and nothing of what is
// not known.
func TestStatusIsAPage(t *testing.T) {
	effects := func(x float64, more ...api.Effect) []api.Effect {
		return append([]api.Effect{{Feature: "hour", Change: -x, Error: .05}, {Feature: "device", Category: "mobile", Change: x, Error: .04}}, more...)
	}
	byFeatures := api.Status{ByFeatures: 9, Features: []string{"hour=0..24", "device=mobile|desktop"}, Error: .8, Raised: 2, Gain: &api.Gain{Sentence: "not computed"}}
	mail := api.Arm{Name: "mail", Estimate: .42, Error: .03, Samples: 900, Own: 300, Borrowed: 600, Sites: 2, Effects: effects(.1)}
	call, wide := mail, mail
	call.Name, call.Estimate, call.Error, call.Effects, call.Retired = "call", .5, .04, effects(.2), true
	wide.Effects = effects(.1, slices.Repeat([]api.Effect{{Feature: "age"}}, 8)...)
	alike := []api.Alike{{Name: "a", Apart: .012}, {Name: "b", Apart: .02}, {Name: "c", Apart: .03}, {Name: "d", Apart: .1}, {Name: "e", Apart: .2}, {Name: "f", Apart: .21}, {Name: "g", Apart: .35}}
	var page strings.Builder
	for _, c := range []struct {
		name string
		d    api.Status
		arms []api.Arm
	}{
		{"by features", byFeatures, []api.Arm{mail, call}},
		{"by many features", byFeatures, []api.Arm{wide}},
		{"by features, nothing known", api.Status{ByFeatures: 4, Error: 1.5}, []api.Arm{{Name: "a"}, {Name: "b"}}},
		{"by actions", api.Status{Pulls: []uint64{2000, 3, 0, 0}, Alike: alike, Gain: &api.Gain{Sentence: "joining has saved them"}}, []api.Arm{
			{Name: "red", Pulls: 2000, Own: 1240, Borrowed: 3399.6, Sites: 6},
			{Name: "green", Pulls: 3, Own: 0, Borrowed: 1234567, Sites: 1},
			{Name: "blue", Own: 7},
			{Name: "white"},
		}},
		{"a site has stopped", api.Status{StoppedNotice: "a third rests on site-3"}, nil},
		{"nothing", api.Status{Skipped: 1234}, nil},
	} {
		fmt.Fprintf(&page, "== %s\n", c.name)
		c.d.Name, c.d.Network, c.d.State = "site-1", "clinics", "learns and releases"
		Status(&page, c.d, c.arms)
	}
	const file = "testdata/status.txt"
	if *update {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || page.String() != string(want) {
		t.Errorf("%s differs, %v; -update writes it anew. Got:\n%s", file, err, &page)
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
