package experiment

import (
	"cmp"
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
	f := &figure.Figure{Title: figureTitle(c), Note: "One seed, so no intervals. "}
	if n := x.Seeds; n > 1 {
		f.Note = fmt.Sprintf("Mean over %d seeds with the 95 %% interval. ", n)
	}
	if want.Runs > 0 {
		f.Note += "Thin lines are single runs. "
	}
	f.Note += strings.Join(notPrivate(cells), " ")
	facets := facetsOf(cells, want.Facet)
	views := want.Views()
	if want.Kind == "curves" {
		views = views[:1] // by round
	}
	for _, v := range views {
		for _, facet := range facets {
			var p figure.Panel
			if want.Kind == "curves" {
				p = byRound(facet.cells, &want)
			} else {
				p = atTheEnd(facet.cells, &want, v)
			}
			p.Title, p.LogX, p.LogY = strings.Trim(facet.name+", "+plan.AtLabel(v.At), ", "), want.Log == "x" || want.Log == "both", want.Log == "y" || want.Log == "both"
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}

// A facet has the cells of a panel.
type facet struct {
	name  string
	cells []*cellRun
}

// facetsOf returns the cells by the value of a key, in the order of cells; without a key it returns all.
func facetsOf(cells []cellRun, key string) (all []facet) {
	for i := range cells {
		name := ""
		if key != "" {
			name = cells[i].Facet(key)
		}
		at := slices.IndexFunc(all, func(f facet) bool { return f.name == name })
		if at < 0 {
			at, all = len(all), append(all, facet{name: name})
		}
		all[at].cells = append(all[at].cells, &cells[i])
	}
	return all
}

// label names a cell in a panel, except by some keys, by all that it has if nothing is left.
func (r *cellRun) label(without ...string) string {
	if name := r.Label(without...); name != "" {
		return name
	}
	return r.Name
}

// byRound is a panel of regret by round.
func byRound(cells []*cellRun, want *plan.Figure) figure.Panel {
	p := figure.Panel{X: "rounds", Y: "regret of a peer, in rewards"}
	var bounds []figure.Line
	var of []string // cells of the bounds
	for _, r := range cells {
		p.Lines = append(p.Lines, r.curve(want))
		if r.bound != nil {
			bounds, of = append(bounds, r.boundCurve()), append(of, r.Name)
		}
	}
	if want.Bound {
		p.Lines = append(p.Lines, distinctBounds(bounds, of, "lower bound")...)
	}
	return p
}

// atTheEnd is a panel of regret at the end.
func atTheEnd(cells []*cellRun, want *plan.Figure, v plan.Panel) figure.Panel {
	if len(want.Panels) > 0 {
		cells = slices.DeleteFunc(slices.Clone(cells), func(r *cellRun) bool {
			_, setting := plan.Schema().Find(v.X)
			return !r.Is(v.At) || setting && !r.Sweeps(v.X)
		})
	}
	p := figure.Panel{Glyphs: true, X: axisLabel(v.X), Y: "regret of a peer at the end, in rewards"}
	values := func(r *cellRun) []float64 { return stats.Finals(r.runs) }
	bound := func(r *cellRun) []float64 { return r.bound.at(r.RoundCount()) }
	single := "lower bound"
	if v.Regret == "own" || v.Regret == "odd" {
		p.Y, values = "own regret of a site at the end, in rewards", func(r *cellRun) []float64 { return stats.Owns(r.runs) }
		bound = func(r *cellRun) []float64 { return r.alone }
		single = "lower bound without noise, alone"
	}
	if v.Regret == "odd" {
		p.Y, values = "own regret of an odd site, or of any where all are alike, in rewards", (*cellRun).ownsOfOdd
	}
	p.Lines = finals(cells, want, v.X, values)
	if !want.Bound {
		return p
	}
	bounds := finals(cells, want, v.X, bound)
	var of []string
	for i := range bounds {
		b := &bounds[i]
		of = append(of, b.Name)
		switch r := cells[slices.IndexFunc(cells, func(r *cellRun) bool { return r.label(sweptBy(v.X), want.Facet) == b.Name })]; {
		case len(want.Panels) == 0:
			b.Name = "lower bound of " + b.Name
		case single == "lower bound" && math.IsInf(r.boundEpsilon(), 1):
			b.Name = r.boundName()
		default:
			b.Name = single
		}
		if v.X == plan.WireBytes { // it is the same for any number of them
			b.Level, b.Points = true, []figure.Point{{Y: b.Points[0].Y}}
		}
	}
	p.Lines = append(p.Lines, distinctBounds(bounds, of, single)...)
	return p
}

// drawable refuses cells that have no place on an axis of the figure.
func (r *cellRun) drawable(f *plan.Figure) error {
	for _, v := range f.Views() {
		if _, ok := r.x(v.X); f.Kind == "final" && !ok && (len(f.Panels) == 0 || r.Sweeps(v.X)) {
			return config.Failf(config.ErrRefused, "cell %q: experiment.figure.x: %s is %s, want a finite number in all cells",
				r.Name, v.X, config.ValueText(r.Value(v.X).Interface()))
		}
	}
	return nil
}

// figureTitle returns what stands above the figure.
func figureTitle(c *config.Config) string {
	if title := plan.ExperimentOf(&c.Settings).Figure.Title; title != "" {
		return title
	}
	return Title(c)
}

// curve returns the mean regret over rounds, and the regret of the first runs individually.
func (r *cellRun) curve(want *plan.Figure) figure.Line {
	l := figure.Line{Name: r.label(want.Facet)}
	rounds, regret := stats.Curve(r.runs)
	for i := range rounds {
		l.Points = append(l.Points, figure.Point{X: float64(rounds[i]), Y: regret[i]})
	}
	for _, run := range r.runs[:min(want.Runs, len(r.runs))] {
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
// by topologies. A cell without values has no point. Cells that send nothing are levels.
func finals(cells []*cellRun, want *plan.Figure, x string, values func(*cellRun) []float64) []figure.Line {
	var lines []figure.Line
	for _, r := range cells {
		all := values(r)
		if all == nil {
			continue
		}
		name := r.label(sweptBy(x), want.Facet)
		at := slices.IndexFunc(lines, func(l figure.Line) bool { return l.Name == name })
		if at < 0 {
			at = len(lines)
			lines = append(lines, figure.Line{Name: name})
		}
		v, _ := r.x(x)
		switch x {
		case plan.LinkCost:
			v = r.cost()
		case plan.WireBytes:
			v = r.bytes()
			lines[at].Level = v == 0
		}
		lines[at].Points = append(lines[at].Points, figure.Point{X: v, Y: stats.MeanOf(all)})
	}
	for _, l := range lines {
		slices.SortStableFunc(l.Points, func(a, b figure.Point) int { return cmp.Compare(a.X, b.X) })
	}
	return lines
}

// sweptBy returns the setting that gives an axis its values.
func sweptBy(x string) string {
	if x == plan.SpectralGap {
		return "testnet.topology"
	}
	return x
}

// bytes returns the mean number of bytes that a peer sends in a run.
func (r *cellRun) bytes() (mean float64) {
	for i := range r.runs {
		mean += float64(r.runs[i].Bytes)
	}
	return mean / float64(len(r.runs)) / float64(plan.TestnetOf(&r.Settings).Nodes)
}

// x returns the coordinate of a cell on an axis, false if that is not a finite number.
func (r *cellRun) x(axis string) (float64, bool) {
	if axis == "" {
		return 0, false
	}
	if plan.Counted(axis) { // known when the cell has been played
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
	case plan.WireBytes:
		return "bytes that a peer sends in a run"
	}
	k, _ := plan.Schema().Find(axis)
	if k.Unit == "" {
		return plan.KeyLabel(axis)
	}
	return plan.KeyLabel(axis) + ", " + k.Unit
}
