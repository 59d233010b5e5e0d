package testnet

import (
	"io"
	"strings"
	"testing"

	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/graphs"
)

// TestRunsAreComparedByWhatSitesChooseFor: with a learner that chooses for a site's own users, its own best arm is the right one
// and its regret is against it; with one arm for all sites, the arm that is best over them.
func TestRunsAreComparedByWhatSitesChooseFor(t *testing.T) {
	for _, c := range []struct {
		learner string
		right   float64 // share of runs at the site whose best arm is not the best over all
		most    float64 // regret together
		says    string
	}{
		{"personalized", 1, 60, "regret of a site, of its own users' rewards: alone "},
		{"imed", 1, 60, "regret of a site: alone "},
	} {
		s, err := plan.Schema().Load("../../../configs/testnet.yaml", []string{
			"learner.name=" + c.learner, "arms=red,green", "world.bernoulli.means=[[0.9, 0.2], [0.3, 0.8]]", "testnet.nodes=2", "testnet.topology=path",
			"rounds.count=1000", "testnet.seeds=3",
		})
		if err != nil {
			t.Fatal(err)
		}
		n := Net{Settings: &s.Settings, Names: []string{"a", "b"}, baseline: experiment.Baseline{Means: [][]float64{{.9, .2}, {.3, .8}}}}
		if n.Graph, _, err = graphs.Build("path", 2, 1); err != nil {
			t.Fatal(err)
		}
		source, err := plan.OpenWorld(n.Settings, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, err := n.compare(t.Context(), io.Discard, source)
		if err != nil {
			t.Fatal(err)
		}
		var w strings.Builder
		got.write(&w, n.Settings)
		if x := got.Sites[1].Together.Mean; x != c.right {
			t.Errorf("%s: right in %v of the runs, want %v; %+v", c.learner, x, c.right, got.Sites[1])
		}
		if x := got.Together.Mean; !(x <= c.most) || !strings.Contains(w.String(), c.says) {
			t.Errorf("%s: regret %v, want at most %v\n%s", c.learner, x, c.most, &w)
		}
	}
}
