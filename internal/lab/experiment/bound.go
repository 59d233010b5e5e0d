package experiment

import (
	"math"
	"slices"
	"strconv"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/figure"
	"peerd.dev/node/lab/lowerbound"
)

// A cellBound is the lower bound on the regret of a peer, by run.
type cellBound []lowerbound.Bound

// lowerBound returns the lower bound of a cell, nil if there is none: peers must not be alone, since such peers cannot know the
// best arm over sites, and the rest is as [cellRun.binaryMeans] wants it. With δ > 0 it is the bound without noise, since
// the bound for ε holds only at δ = 0.
func (r *cellRun) lowerBound() (b cellBound, err error) {
	if r.graph == nil {
		return nil, nil
	}
	all, err := r.binaryMeans()
	for _, means := range all {
		b = append(b, lowerbound.New(means, r.boundEpsilon()))
	}
	return b, err
}

// boundAlone returns, by run, the lower bound without noise on the own regret of a site that is alone, at the end, mean over sites. It is
// nil for cells whose sites are not alone, and where lowerBound has none for another reason.
func (r *cellRun) boundAlone() (b []float64, err error) {
	if r.graph != nil {
		return nil, nil
	}
	all, err := r.binaryMeans()
	for _, sites := range all {
		mean := 0.
		for _, means := range sites {
			mean += lowerbound.New([][]float64{means}, math.Inf(1)).Regret(r.RoundCount()) / float64(len(sites))
		}
		b = append(b, mean)
	}
	return b, err
}

// binaryMeans returns the means of every run, by run, site and arm, nil where there is no lower bound: rewards must be 0 or 1,
// and no peer a liar, nor have rounds in which it decides nothing.
func (r *cellRun) binaryMeans() (all [][][]float64, err error) {
	if plan.ExperimentOf(&r.Settings).Liars.Count > 0 || slices.Min(r.shares()) < 1 {
		return nil, nil
	}
	for k := range r.runs {
		worlds, err := plan.SitesOfRun(&r.Settings, r.world, r.seed(k))
		if err != nil || !worlds.Binary {
			return nil, err
		}
		all = append(all, worlds.Means)
	}
	return all, nil
}

// boundEpsilon returns the ε that the lower bound is for.
func (r *cellRun) boundEpsilon() float64 {
	if r.Privacy.Delta > 0 {
		return math.Inf(1)
	}
	return float64(r.Privacy.Epsilon)
}

// at returns the bounds by run after a number of rounds.
func (b cellBound) at(rounds uint64) []float64 {
	var all []float64
	for _, x := range b {
		all = append(all, x.Regret(rounds))
	}
	return all
}

// boundName is what a figure calls the lower bound of a cell.
func (r *cellRun) boundName() string {
	epsilon := r.boundEpsilon()
	if math.IsInf(epsilon, 1) {
		return "lower bound without noise"
	}
	return "lower bound at ε = " + strconv.FormatFloat(epsilon, 'g', 4, 64)
}

// distinctBounds returns lines of lower bounds, each once, even if it is the bound of several
// cells. A single one has a name of its own; different ones with one name get the names of their
// cells.
func distinctBounds(lines []figure.Line, cells []string, single string) []figure.Line {
	var distinct []figure.Line
	var of []string
	names := make(map[string]int)
	for i, l := range lines {
		if !slices.ContainsFunc(distinct, func(d figure.Line) bool { return slices.Equal(d.Points, l.Points) }) {
			distinct, of = append(distinct, l), append(of, cells[i])
			names[l.Name]++
		}
	}
	for i := range distinct {
		distinct[i].Bound = true
		switch {
		case len(distinct) == 1:
			distinct[i].Name = single
		case names[distinct[i].Name] > 1:
			distinct[i].Name = "lower bound of " + of[i]
		}
	}
	return distinct
}
