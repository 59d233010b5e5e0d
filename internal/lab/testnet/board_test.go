package testnet

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
	"peerd.dev/node/api/page"
	"peerd.dev/node/lab/graphs"
)

// TestABoardHasEachSiteBesideItselfAlone, with the best action of its own users, and links.
func TestABoardHasEachSiteBesideItselfAlone(t *testing.T) {
	c, err := plan.Schema().Load("../../../configs/testnet.yaml", []string{"arms=red,green", "world.bernoulli.means=[[0.9, 0.5], [0.2, 0.5]]", "testnet.nodes=2", "testnet.topology=path"})
	if err != nil {
		t.Fatal(err)
	}
	n := &Net{Settings: &c.Settings, Names: plan.SiteNames(2)}
	source, err := plan.OpenWorld(n.Settings, 2)
	if err != nil {
		t.Fatal(err)
	}
	if n.Graph, _, err = graphs.Build("path", 2, 1); err != nil {
		t.Fatal(err)
	}
	if n.baseline, err = experiment.NewBaseline(t.Context(), n.Settings, source, config.Neighbours(2, n.Graph.Edges())); err != nil {
		t.Fatal(err)
	}
	b := &board{net: n, page: page.NewBoard(slog.New(slog.DiscardHandler))}
	b.show([]api.Status{{ID: "a", Pulls: []uint64{90, 10}, Means: []float64{.8, .5}}, {ID: "b", Pulls: []uint64{60, 140}, Means: []float64{.2, .4}}}, nil)
	in, w, r := httptest.NewRecorder(), httptest.NewRecorder(), httptest.NewRequest("GET", page.Prefix, nil)
	b.page.ServeHTTP(in, httptest.NewRequest("GET", b.page.Link(), nil))
	r.AddCookie(in.Result().Cookies()[0])
	b.page.ServeHTTP(w, r)
	text := regexp.MustCompile(`(<[^>]*>)+`).ReplaceAllString(w.Body.String(), " ")
	for i, want := range []string{"site-1 4.0 %.1f red red 90\u00a0%%", "site-2 18.0 %.1f green green 70\u00a0%%"} {
		if want = fmt.Sprintf(want, n.baseline.OwnAlone[i].At(100*uint64(i+1))); !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if !strings.Contains(w.Body.String(), "<line ") {
		t.Error("no link is drawn")
	}
}

// TestAnEndlessNetworkIsNotCounted: a whole life has no last round, and decisions that peers do not show are not 0.
func TestAnEndlessNetworkIsNotCounted(t *testing.T) {
	c, err := plan.Schema().Load("../../../configs/contextual.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	n, all := &Net{Settings: &c.Settings}, []api.Status{{Round: 7, Released: 2}, {}}
	var b strings.Builder
	n.announce(&b)
	n.writeServed(&b, all, false)
	all[1].Pulls = []uint64{3}
	n.writeServed(&b, all, false)
	const want = "\nε = 1 for each reward at each site, over its whole life; a round every 250ms, until an interrupt\n" +
		"round 7  – decisions  2 releases\nround 7  3 decisions  2 releases\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
