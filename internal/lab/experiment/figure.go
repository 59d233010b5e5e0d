package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/figure"
	"peerd.dev/node/lab/stats"
)

// figureOf returns the figure that the configuration wants, nil for none.
func figureOf(c *config.Config, cells []cellRun) *figure.Figure {
	x := plan.ExperimentOf(&c.Settings)
	want := x.Figure
	if want.Kind == "none" {
		return nil
	}
	f := &figure.Figure{
		Title: figureTitle(c), X: "rounds", Y: "regret of a peer, in rewards",
		LogX: want.Log == "x" || want.Log == "both", LogY: want.Log == "y" || want.Log == "both",
	}
	f.Note = "One seed, so no intervals. "
	if n := x.Seeds; n > 1 {
		f.Note = fmt.Sprintf("Mean over %d seeds with the 95 %% interval. ", n)
	}
	if want.Runs > 0 {
		f.Note += "Thin lines are single runs. "
	}
	f.Note += strings.Join(notPrivate(cells), " ")
	var bounds []figure.Line
	var of []string // cells of the bounds
	if want.Kind == "curves" {
		for i := range cells {
			f.Lines = append(f.Lines, cells[i].curve(want.Runs))
			if cells[i].bound != nil {
				bounds, of = append(bounds, cells[i].boundCurve()), append(of, cells[i].Name)
			}
		}
	} else {
		f.Glyphs, f.X, f.Y = true, axisLabel(want.X), "regret of a peer at the end, in rewards"
		f.Lines = finals(cells, want.X, func(r *cellRun) []float64 { return stats.Finals(r.runs) })
		bound := func(r *cellRun) []float64 { return r.bound.at(r.RoundCount()) }
		if want.Regret != "shared" {
			f.Y = "own regret of a site at the end, in rewards"
			bound = func(r *cellRun) []float64 { return r.alone }
		}
		switch want.Regret {
		case "own":
			f.Lines = finals(cells, want.X, func(r *cellRun) []float64 { return stats.Owns(r.runs) })
		case "odd":
			f.Y = "own regret of an odd site, or of any where all are alike, in rewards"
			f.Lines = finals(cells, want.X, (*cellRun).ownsOfOdd)
		}
		bounds = finals(cells, want.X, bound)
		for i := range bounds {
			of = append(of, bounds[i].Name)
			bounds[i].Name = "lower bound of " + bounds[i].Name
		}
	}
	if want.Bound {
		single := "lower bound"
		if want.Regret != "shared" {
			single = "lower bound without noise, alone"
		}
		f.Lines = append(f.Lines, distinctBounds(bounds, of, single)...)
	}
	return f
}

// figureTitle returns what stands above the figure.
func figureTitle(c *config.Config) string {
	if title := plan.ExperimentOf(&c.Settings).Figure.Title; title != "" {
		return title
	}
	return Title(c)
}

// curve returns the mean regret over rounds, and the regret of the first runs individually.
func (r *cellRun) curve(single int) figure.Line {
	l := figure.Line{Name: r.Name}
	rounds, regret := stats.Curve(r.runs)
	for i := range rounds {
		l.Points = append(l.Points, figure.Point{X: float64(rounds[i]), Y: regret[i]})
	}
	for _, run := range r.runs[:min(single, len(r.runs))] {
		var points []figure.Point
		for i, y := range run.Regret {
			points = append(points, figure.Point{X: float64(run.Points[i]), Y: stats.Interval{Mean: y, Low: y, High: y}})
		}
		l.Runs = append(l.Runs, points)
	}
	return l
}

// boundCurve is the lower bound over rounds. It is a number and not an estimate, so it has no
// intervals.
func (r *cellRun) boundCurve() figure.Line {
	l := figure.Line{Name: r.boundName()}
	for _, t := range r.runs[0].Points {
		mean := stats.MeanOf(r.bound.at(t)).Mean
		l.Points = append(l.Points, figure.Point{X: float64(t), Y: stats.Interval{Mean: mean, Low: mean, High: mean}})
	}
	return l
}

// finals makes a line of the values of all cells that differ only in x. The spectral gap is swept
// by topologies. A cell without values has no point.
func finals(cells []cellRun, x string, values func(*cellRun) []float64) []figure.Line {
	without := x
	if x == plan.SpectralGap {
		without = "testnet.topology"
	}
	var lines []figure.Line
	for i := range cells {
		r := &cells[i]
		all := values(r)
		if all == nil {
			continue
		}
		name := r.Label(without)
		at := slices.IndexFunc(lines, func(l figure.Line) bool { return l.Name == name })
		if at < 0 {
			at = len(lines)
			lines = append(lines, figure.Line{Name: name})
		}
		v, _ := r.x(x)
		if x == plan.LinkCost {
			v = r.cost()
		}
		lines[at].Points = append(lines[at].Points, figure.Point{X: v, Y: stats.MeanOf(all)})
	}
	for _, l := range lines {
		slices.SortStableFunc(l.Points, func(a, b figure.Point) int {
			switch {
			case a.X < b.X:
				return -1
			case a.X > b.X:
				return 1
			}
			return 0
		})
	}
	return lines
}

// x returns the coordinate of a cell on an axis, false if that is not a finite number.
func (r *cellRun) x(axis string) (float64, bool) {
	if axis == "" {
		return 0, false
	}
	if axis == plan.LinkCost { // known when the cell has been played
		return 0, true
	}
	if axis == plan.SpectralGap {
		return r.gap, true
	}
	v := r.Value(axis)
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	}
	return v.Float(), !math.IsInf(v.Float(), 0)
}

func axisLabel(axis string) string {
	switch axis {
	case plan.SpectralGap:
		return "spectral gap of the gossip matrix, 1 − λ₂"
	case plan.LinkCost:
		return "cost of links in a run"
	}
	k, _ := plan.Schema().Find(axis)
	if k.Unit == "" {
		return plan.KeyLabel(axis)
	}
	return plan.KeyLabel(axis) + ", " + k.Unit
}
