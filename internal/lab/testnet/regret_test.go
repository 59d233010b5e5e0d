package testnet

import (
	"strings"
	"testing"

	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
)

// TestSitesLoseAgainstWhatTheyChooseFor: with a learner that chooses for a site's own users, its regret is against the best
// arm there; with one arm for all sites, against this one.
func TestSitesLoseAgainstWhatTheyChooseFor(t *testing.T) {
	for _, c := range []struct {
		learner      string
		shown, right float64
		best, says   string
	}{
		{"personalized", 15, 2, "green", "all                                          15.0      0.0    12.0\n"},
		{"imed", 7, 1, "red", "of its own users' rewards a site loses   together 15.0 "},
	} {
		s, err := plan.Schema().Load("../../../configs/testnet.yaml", []string{
			"learner.name=" + c.learner, "arms=red,green", "world.bernoulli.means=[[0.9, 0.5], [0.2, 0.5]]", "testnet.nodes=2", "testnet.topology=path",
		})
		if err != nil {
			t.Fatal(err)
		}
		n := Net{Settings: &s.Settings, Names: []string{"site-1", "site-2"}, baseline: experiment.Baseline{Means: [][]float64{{.9, .5}, {.2, .5}}, Gaps: []float64{0, .05}, Together: []float64{14, 10}, Alone: make([]experiment.Curve, 2), OwnAlone: make([]experiment.Curve, 2)}}
		all := []api.Status{
			{Pulls: []uint64{90, 0}, Means: []float64{.8, .5}, Regret: 4},
			{Pulls: []uint64{100, 10}, Means: []float64{.2, .4}, Regret: 10},
		}
		doc := n.summary(all, 0)
		var w strings.Builder
		doc.Write(&w, &s.Settings)
		_, r := n.progress(all)
		if shown, _ := r.shown(n.selfish()); shown != c.shown || float64(doc.Right) != c.right || s.Arms[n.best(1)] != c.best || !strings.Contains(w.String(), c.says) {
			t.Errorf("%s: regret %v, %d right, best %s\n%s", c.learner, shown, doc.Right, s.Arms[n.best(1)], &w)
		}
		if d := doc.OwnTogether; d != 15 {
			t.Errorf("%s: own regret %v", c.learner, d)
		}
	}
}
