package experiment

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/stats"
)

// lateCells plays three cells of four sites over two seeds, with changes.
func lateCells(t *testing.T, set ...string) ([]cellRun, *Document) {
	t.Helper()
	c := require.Value(plan.Schema().Load("../../../configs/personalized.yaml", append([]string{
		"privacy.horizon=400", "testnet.nodes=4", "experiment.seeds=2", "world.bernoulli.draw=given", "world.bernoulli.means=[[0.6, 0.5, 0.4, 0.3, 0.2]]",
		"experiment.cells=[{name: alone, set: {learner.name: imed, experiment.alone: true}}, {name: together}, " +
			"{name: 'alone, at once', set: {learner.name: imed, experiment.alone: true, world.late.sites: 0}}, {name: 'at once', set: {world.late.sites: 0}}]",
	}, set...)))(t)
	cells := require.Value(prepare(c, "", ""))(t)
	for i := range cells {
		for k := range cells[i].runs {
			cells[i].runs[k] = require.Value(cells[i].play(t.Context(), k, nil, func(uint64) {}))(t)
		}
	}
	return cells, sumUp(c, cells)
}

// groups lists the names and numbers of the groups of sites of a cell.
func groups(c *CellDocument) (text string) {
	for _, x := range c.Owns {
		text += fmt.Sprintf("%s %d, ", x.Sites, x.Number)
	}
	return strings.TrimSuffix(text, ", ")
}

// TestLateSitesAreJudgedByThemselves: they are apart from the founders, each compared with the same sites alone in the
// same world, in the document and in the table; decisions of a site are those from its beginning on.
func TestLateSitesAreJudgedByThemselves(t *testing.T) {
	cells, doc := lateCells(t, "world.late.sites=2", "world.late.every=100")
	for i, want := range []string{"all 8, late 4, founders 4", "all 8, late 4, founders 4", "all 8", "all 8"} {
		if got := groups(&doc.Cells[i]); got != want {
			t.Errorf("%s: %s, want %s", doc.Cells[i].Cell, got, want)
		}
		for _, run := range cells[i].runs {
			for _, s := range run.Sites {
				decisions := uint64(400)
				if i < 2 && s.Number >= 2 {
					decisions = 400 - 100*uint64(s.Number-1)
				}
				if s.Decisions != decisions {
					t.Errorf("%s: site %d decides %d times, want %d", doc.Cells[i].Cell, s.Number, s.Decisions, decisions)
				}
			}
		}
		if doc.Cells[i].Bound != nil && i < 2 {
			t.Errorf("%s: a lower bound of sites that begin late", doc.Cells[i].Cell)
		}
	}
	late := func(site int) bool { return site >= 2 }
	alone := stats.MeanOfSites(stats.OwnOf(cells[0].runs, late))
	want := stats.RatioOf(stats.MeanOfSites(stats.OwnOf(cells[1].runs, late)), alone).Mean
	if got := doc.Cells[1].Owns[1].ToAlone; got == nil || math.Abs(got.Mean.Mean-want) > 1e-9 {
		t.Errorf("late sites to alone: %+v, want %v", got, want)
	}
	for k, run := range cells[0].runs { // a founder alone is as it is where no site is late
		for _, site := range []int{0, 1} {
			if at := cells[2].runs[k].Sites[site]; run.Sites[site] != at {
				t.Errorf("founder alone: %+v, want %+v", run.Sites[site], at)
			}
		}
	}
	var b bytes.Buffer
	doc.writeOwn(&b)
	for _, row := range []string{"alone           late ", "alone           founders ", "together        late ", "together        founders ", "at once         all "} {
		if !strings.Contains(b.String(), "\n"+row) {
			t.Errorf("no row %q in\n%s", row, b.String())
		}
	}
}

// TestLateSitesBesideOddOnes: both are groups; where all sites are late there is one group.
func TestLateSitesBesideOddOnes(t *testing.T) {
	_, doc := lateCells(t, "world.late.sites=1", "world.late.every=50", "world.late.life=200", "world.bernoulli.odd=[[3, 4, 0.8], [0, 4, 0.8]]")
	if got, want := groups(&doc.Cells[1]), "all 8, odd 4, ordinary 4, late 2, founders 6"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, doc = lateCells(t, "world.late.sites=4", "world.late.every=20"); groups(&doc.Cells[1]) != "all 8" {
		t.Errorf("all sites are late: %s", groups(&doc.Cells[1]))
	}
}
