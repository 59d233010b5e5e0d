package experiment

import (
	"math"
	"testing"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
)

// TestTheBoundOfSitesAlone: the mean over sites of Lai and Robbins' bound, each for the arms of its own site, and only for cells whose
// sites are alone. The figure of own regret has it, and no bound of a network.
func TestTheBoundOfSitesAlone(t *testing.T) {
	c := require.Value(plan.Schema().Load("../../../configs/figures/personalized.yaml", []string{
		"arms=red,green", "world.bernoulli.draw=given", "world.bernoulli.means=[[0.9, 0.5], [0.2, 0.4]]", "testnet.nodes=2", "privacy.horizon=3000", "experiment.seeds=1", "experiment.figure.x=privacy.horizon",
		"experiment.cells=[{name: alone, set: {learner.name: imed, experiment.alone: true}}, {name: together}]",
	}))(t)
	cells := require.Value(prepare(c, "", ""))(t)
	kl := func(p, q float64) float64 { return p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q)) }
	want := math.Log(3000) * (.4/kl(.5, .9) + .2/kl(.2, .4)) / 2
	if got := cells[0].alone; len(got) != 1 || math.Abs(got[0]-want) > 1e-6 {
		t.Errorf("bound of sites alone: %v, want %v", got, want)
	}
	if cells[1].alone != nil || cells[1].bound == nil {
		t.Errorf("of a network: alone %v, together %v", cells[1].alone, cells[1].bound)
	}
	for i := range cells {
		cells[i].runs[0].Regret = []float64{1} // as played
	}
	f := figureOf(c, cells)
	lines := f.Panels[0].Lines
	if last := lines[len(lines)-1]; last.Name != "lower bound without noise, alone" || math.Abs(last.Points[0].Y.Mean-want) > 1e-6 {
		t.Errorf("the last line of the figure is %+v", last)
	}
}
