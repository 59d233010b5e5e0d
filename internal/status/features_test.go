package status

import (
	"strings"
	"testing"

	"peerd.dev/node/api"
)

// TestStatusSaysWhatIsLearnedByFeatures: which features, how many rewards, and a table of what each adds; no pulls, which are
// hidden, and no estimates of 0.
func TestStatusSaysWhatIsLearnedByFeatures(t *testing.T) {
	effects := func(x float64) []api.Effect {
		return []api.Effect{{Feature: "hour", Change: -x, Error: .05}, {Feature: "device", Category: "mobile", Change: x, Error: .04}}
	}
	d := api.Status{ByFeatures: 9, Features: []string{"hour=0..24", "device=mobile|desktop"}, Error: .8, Raised: 2, Gain: &api.Gain{Sentence: "what joining has gained is not computed for learners by features"}}
	arms := []api.Arm{
		{Name: "mail", Estimate: .42, Error: .03, Samples: 900, Own: 300, Borrowed: 600, Sites: 2, Effects: effects(.1)},
		{Name: "call", Estimate: .5, Error: .04, Samples: 900, Own: 300, Borrowed: 600, Sites: 2, Effects: effects(.2), Retired: true},
	}
	var w strings.Builder
	Status(&w, d, arms)
	for _, want := range []string{
		"\nlearns by features, 9 numbers: hour=0..24, device=mobile|desktop\n", "\nrewards behind what is known: 300 own, 600 borrowed from 2 sites\n", "at most 0.8 off, with probability .99\n",
		"\nin 2 of 9 directions of features the noise is greater", "\nACTION         REWARD       hour          device=mobile\n", "\nmail           0.42 ± 0.03  -0.10 ± 0.05  +0.10 ± 0.04\n", "\ncall, retired  0.50 ± 0.04  -0.20", "\nwhat joining has gained is not computed for learners by features\n",
	} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("no %q in\n%s", want, w.String())
		}
	}
	for _, stray := range []string{"hidden", "eigenvalues", "0.0000"} {
		if strings.Contains(w.String(), stray) {
			t.Errorf("%q in\n%s", stray, w.String())
		}
	}
	w.Reset()
	Status(&w, api.Status{ByFeatures: 4, Error: 1.5}, []api.Arm{{Name: "a"}, {Name: "b"}})
	if got := w.String(); !strings.Contains(got, "\nlearns by features, 4 numbers\nrewards behind what is known: 0\n") || strings.Contains(got, "ACTION") || strings.Contains(got, "off,") {
		t.Error(got)
	}
	w.Reset()
	for range 8 {
		arms[0].Effects = append(arms[0].Effects, api.Effect{Feature: "age"})
	}
	if Status(&w, d, arms[:1]); !strings.Contains(w.String(), "\n4 more columns are in /v1/arms\n") {
		t.Error(w.String())
	}
}
