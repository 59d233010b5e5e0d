package experiment

import (
	"slices"
	"testing"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/figure"
)

// figureWith returns the figure of a configuration whose cells were played: cell i lost i+1 rewards, and as many more of its own, and
// sent 1000·i bytes.
func figureWith(t *testing.T, set ...string) *figure.Figure {
	t.Helper()
	c := require.Value(plan.Schema().Load("../../../configs/figures/personalized.yaml", append([]string{
		"arms=red,green", "world.bernoulli.draw=given", "world.bernoulli.means=[[0.9, 0.5], [0.2, 0.4]]", "testnet.nodes=2", "privacy.horizon=3000", "experiment.seeds=1",
		"experiment.figure.x=", "experiment.figure.regret=shared", "experiment.figure.log=none",
	}, set...)))(t)
	cells := require.Value(prepare(c, "", ""))(t)
	for i := range cells {
		own := float64(2 * (i + 1))
		r := &cells[i].runs[0]
		r.Points, r.Regret, r.Own, r.Bytes = []uint64{3000}, []float64{own / 2}, &own, uint64(2000*i)
	}
	return figureOf(c, cells)
}

// names returns the names of the lines of a panel.
func names(p figure.Panel) (all []string) {
	for _, l := range p.Lines {
		all = append(all, l.Name)
	}
	return all
}

// TestFacetsHaveAPanelForEachValue, in which lines are not called by it: by a setting and by name, of curves and of regret at the end.
func TestFacetsHaveAPanelForEachValue(t *testing.T) {
	const cells = "experiment.cells=[{name: early, set: {learner.name: [imed, med], privacy.epsilon: [1, 2]}}, {name: late}]"
	for _, x := range []struct {
		facet, kind string
		titles      []string
		first       []string // lines
	}{
		{"learner.name", "curves", []string{"imed", "med", "personalized"}, nil},
		{"name", "curves", []string{"early", "late"}, nil},
		{"privacy.epsilon", "curves", []string{"ε = 1", "ε = 2"}, []string{"early, imed", "early, med", "late", "lower bound"}},
		{"learner.name", "final", []string{"imed", "med", "personalized"}, []string{"early", "lower bound"}},
		{"", "curves", []string{""}, nil},
	} {
		set := []string{cells, "experiment.figure.kind=" + x.kind, "experiment.figure.facet=" + x.facet}
		if x.kind == "final" {
			set = append(set, "experiment.figure.x=privacy.epsilon")
		}
		f := figureWith(t, set...)
		var titles []string
		for _, p := range f.Panels {
			titles = append(titles, p.Title)
		}
		if !slices.Equal(titles, x.titles) {
			t.Errorf("%s by %q: panels %q, want %q", x.kind, x.facet, titles, x.titles)
		}
		if x.first != nil && !slices.Equal(names(f.Panels[0]), x.first) {
			t.Errorf("%s by %q: lines %q, want %q", x.kind, x.facet, names(f.Panels[0]), x.first)
		}
	}
}

// TestPanelsByBytes: a panel has the cells that it is at, by what a peer sends; cells that send nothing, and bounds, are levels. A
// panel against a setting has the cells that sweep it.
func TestPanelsByBytes(t *testing.T) {
	f := figureWith(t, "experiment.figure.kind=final", "experiment.figure.panels=[{x: bytes, at: privacy.epsilon=1}, {x: privacy.epsilon, regret: own}]",
		"experiment.cells=[{name: alone, set: {learner.name: imed, experiment.alone: true}}, {name: swept, set: {privacy.epsilon: [0.5, 1, 2]}}, {name: rows, set: {protocol.name: rows, learner.name: ucb, privacy.mechanism: kary}}]")
	a, b := f.Panels[0], f.Panels[1]
	if want := []string{"alone", "swept", "rows", "lower bound"}; !slices.Equal(names(a), want) {
		t.Fatalf("lines %q, want %q", names(a), want)
	}
	for i, want := range []struct {
		level bool
		x, y  float64
	}{{true, 0, 1}, {false, 2000, 3}, {false, 4000, 5}} {
		if l := a.Lines[i]; l.Level != want.level || len(l.Points) != 1 || l.Points[0].X != want.x || l.Points[0].Y.Mean != want.y {
			t.Errorf("line %d is %+v, want %+v", i, l, want)
		}
	}
	if bound := a.Lines[3]; !bound.Level || !bound.Bound {
		t.Errorf("%+v", bound)
	}
	if len(b.Lines) != 1 || len(b.Lines[0].Points) != 3 || b.Lines[0].Points[2].Y.Mean != 8 || b.X != "ε" {
		t.Errorf("by ε: %+v", b)
	}
}
