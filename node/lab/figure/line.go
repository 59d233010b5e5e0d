package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// visible returns the points that the axes can show.
func (f *Figure) visible(points []Point) []Point {
	least := math.Inf(1)
	for _, p := range points {
		if p.Y.Mean > 0 {
			least = min(least, p.Y.Mean)
		}
	}
	var seen []Point
	for _, p := range points {
		if f.LogX && p.X <= 0 || f.LogY && p.Y.Mean <= 0 {
			continue
		}
		floor := 0.0
		if f.LogY {
			floor = least / 2
		}
		p.Y.Low = max(p.Y.Low, floor) // no regret is below 0
		seen = append(seen, p)
	}
	return seen
}

// line returns the plotters of line i with its visible points, below and above, and adds it to
// the legend.
func (f *Figure) line(legend *plot.Legend, i int, l Line, points []Point) (below, above []plot.Plotter, err error) {
	line, err := plotter.NewLine(means(points))
	if err != nil {
		return nil, nil, err
	}
	line.Color, line.Width, line.Dashes = shade(i), 1.6, dashes(i)
	if !f.Glyphs {
		if below, err = band(points, i); err != nil {
			return nil, nil, err
		}
		for _, run := range l.Runs {
			seen := f.visible(run)
			if len(seen) == 0 {
				continue
			}
			thin, bad := thinLine(seen, i)
			if bad != nil {
				return nil, nil, bad
			}
			below = append(below, thin)
		}
		addName(legend, l.Name, line)
		return below, []plot.Plotter{line}, nil
	}
	line.Width = 0.8
	dots, err := plotter.NewScatter(means(points))
	if err != nil {
		return nil, nil, err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: shade(i), Radius: 3, Shape: glyph(i)}
	whiskers, err := plotter.NewYErrorBars(intervals(points))
	if err != nil {
		return nil, nil, err
	}
	whiskers.Color, whiskers.Width, whiskers.CapWidth = shade(i), 1.2, 6
	addName(legend, l.Name, line, dots)
	return nil, []plot.Plotter{line, whiskers, dots}, nil
}

// thinLine returns a single run of line i.
func thinLine(run []Point, i int) (plot.Plotter, error) {
	line, err := plotter.NewLine(means(run))
	if err != nil {
		return nil, err
	}
	c := shade(i)
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
func band(points []Point, i int) ([]plot.Plotter, error) {
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
	c := shade(i)
	c.A = 60
	b.Color, b.Width = c, 0
	return []plot.Plotter{b}, nil
}

// intervals are points with errors, in gonum's form.
type intervals []Point

func (s intervals) Len() int { return len(s) }

func (s intervals) XY(i int) (x, y float64) { return s[i].X, s[i].Y.Mean }

func (s intervals) YError(i int) (low, high float64) {
	if y := s[i].Y; !math.IsInf(y.High, 0) {
		return y.Mean - y.Low, y.High - y.Mean
	}
	return 0, 0
}
