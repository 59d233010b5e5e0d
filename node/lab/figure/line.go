package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// visible returns the points of a line that the axes can show.
func (p *Panel) visible(l Line) []Point { return p.seen(l.Points, l.Level) }

// seen returns the points that the axes can show, at any X if level.
func (p *Panel) seen(points []Point, level bool) []Point {
	least := math.Inf(1)
	for _, pt := range points {
		if pt.Y.Mean > 0 {
			least = min(least, pt.Y.Mean)
		}
	}
	var seen []Point
	for _, pt := range points {
		if p.LogX && pt.X <= 0 && !level || p.LogY && pt.Y.Mean <= 0 {
			continue
		}
		floor := 0.0
		if p.LogY {
			floor = least / 2
		}
		pt.Y.Low = max(pt.Y.Low, floor) // no regret is below 0
		seen = append(seen, pt)
	}
	return seen
}

// few is the greatest number of lines with bands; more have whiskers, since many bands add up to one grey.
const few = 4

// line returns the plotters of a line with its visible points, below and above.
func (p *Panel) line(look look, l Line, points []Point) (below, above []plot.Plotter, err error) {
	if l.Level {
		return nil, []plot.Plotter{level{points[0].Y, look}}, nil
	}
	line, err := plotter.NewLine(means(points))
	if err != nil {
		return nil, nil, err
	}
	switch {
	case l.Bound:
		line.LineStyle = look.line(1.6)
		return nil, []plot.Plotter{line}, nil
	case p.Glyphs:
		line.LineStyle = look.line(.8)
		return nil, []plot.Plotter{line, marks{points, look, true, true}}, nil
	}
	line.LineStyle = look.line(1.3)
	whiskers := p.measured() > few
	if !whiskers {
		if below, err = band(points, look); err != nil {
			return nil, nil, err
		}
	}
	for _, run := range l.Runs {
		seen := p.seen(run, false)
		if len(seen) == 0 {
			continue
		}
		thin, bad := thinLine(seen, look)
		if bad != nil {
			return nil, nil, bad
		}
		below = append(below, thin)
	}
	return below, []plot.Plotter{line, marks{points, look, whiskers, false}}, nil
}

// thinLine returns a single run of a line.
func thinLine(run []Point, look look) (plot.Plotter, error) {
	line, err := plotter.NewLine(means(run))
	if err != nil {
		return nil, err
	}
	c := shade(look.style)
	c.A = 110
	line.Color, line.Width = c, 0.4
	return line, nil
}

// means returns points without their intervals.
func means(points []Point) plotter.XYs {
	xys := make(plotter.XYs, len(points))
	for k, pt := range points {
		xys[k] = plotter.XY{X: pt.X, Y: pt.Y.Mean}
	}
	return xys
}

// addName adds a line to the legend. A long name takes several lines of text.
func addName(legend *plot.Legend, name string, thumbs ...plot.Thumbnailer) {
	for _, part := range wrap(name, nameWidth, legend.TextStyle.Width) {
		legend.Add(part, thumbs...)
		thumbs = nil
	}
}

// band returns the intervals as an area, or nothing if one of them is infinitely wide.
func band(points []Point, look look) ([]plot.Plotter, error) {
	var edge plotter.XYs
	for _, p := range points {
		if math.IsInf(p.Y.High, 0) {
			return nil, nil
		}
		edge = append(edge, plotter.XY{X: p.X, Y: p.Y.High})
	}
	for k := len(points) - 1; k >= 0; k-- {
		edge = append(edge, plotter.XY{X: points[k].X, Y: points[k].Y.Low})
	}
	b, err := plotter.NewPolygon(edge)
	if err != nil {
		return nil, err
	}
	c := shade(look.style)
	c.A = 40
	b.Color, b.Width = c, 0
	return []plot.Plotter{b}, nil
}
