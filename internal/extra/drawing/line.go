package drawing

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"peerd.dev/node/lab/figure"
)

const (
	few        = 4 // greatest number of lines with bands; more have whiskers, since many bands add up to one grey
	alongCurve = 6 // glyphs of a curve
)

// plotOf returns the plot of a panel, whose levels lie between two X.
func plotOf(p *figure.Panel, looks *looks, across [2]float64) (*plot.Plot, error) {
	g := plot.New()
	g.Title.TextStyle.Font, g.X.Label.TextStyle.Font = style(10).Font, style(10).Font
	axis(&g.X, p.LogX)
	axis(&g.Y, p.LogY)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = faint, faint
	g.Add(grid)
	var areas, lines []plot.Plotter
	measured := 0
	for _, l := range p.Lines {
		if !l.Bound {
			measured++
		}
	}
	for i, l := range p.Lines {
		points := visible(p, l)
		if len(points) == 0 {
			continue
		}
		if l.Level {
			points = []figure.Point{{X: across[0], Y: points[0].Y}, {X: across[1], Y: points[0].Y}}
		}
		line, marks := looks.of[l.Name].plotters(points)
		lines = append(lines, line)
		if l.Bound {
			continue
		}
		at := points
		if !p.Glyphs && !l.Level {
			at = along(points, i, len(p.Lines))
		}
		marks.XYs = means(at)
		lines = append(lines, marks)
		if p.Glyphs || l.Level || measured > few {
			lines = append(lines, whiskers(at, line.Color))
		} else {
			areas = append(areas, band(points, line.Color)...)
		}
		for _, run := range l.Runs {
			if seen := seen(p, run, false); len(seen) > 0 {
				areas = append(areas, &plotter.Line{XYs: means(seen), LineStyle: draw.LineStyle{Color: pale(line.Color, 110), Width: .4}})
			}
		}
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("figure: nothing to draw in %q: logarithmic axes show numbers above 0 only", p.Title)
	}
	g.Add(areas...)
	g.Add(lines...) // so that no area covers a line
	limits(&g.Y, p.LogY)
	limits(&g.X, p.LogX)
	return g, nil
}

// along returns the points of a curve that have glyphs. Two curves of a panel have glyphs at different
// points, so that one under another still shows.
func along(points []figure.Point, line, of int) (at []figure.Point) {
	for k := range alongCurve {
		at = append(at, points[int((float64(k)+(float64(line)+.5)/float64(of))*float64(len(points))/alongCurve)])
	}
	return at
}

// visible returns the points of a line that the axes can show.
func visible(p *figure.Panel, l figure.Line) []figure.Point { return seen(p, l.Points, l.Level) }

// seen returns the points that the axes can show, at any X if level.
func seen(p *figure.Panel, points []figure.Point, level bool) (seen []figure.Point) {
	least := math.Inf(1)
	for _, pt := range points {
		if pt.Y.Mean > 0 {
			least = min(least, pt.Y.Mean)
		}
	}
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

// means returns points without their intervals.
func means(points []figure.Point) plotter.XYs {
	xys := make(plotter.XYs, len(points))
	for k, pt := range points {
		xys[k] = plotter.XY{X: pt.X, Y: pt.Y.Mean}
	}
	return xys
}

// whiskers returns the intervals of points.
func whiskers(points []figure.Point, c color.Color) *plotter.YErrorBars {
	bars := &plotter.YErrorBars{LineStyle: draw.LineStyle{Color: c, Width: .8}, CapWidth: plotter.DefaultCapWidth}
	for _, pt := range points {
		if !math.IsInf(pt.Y.High, 0) {
			bars.XYs = append(bars.XYs, plotter.XY{X: pt.X, Y: pt.Y.Mean})
			bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{pt.Y.Mean - pt.Y.Low, pt.Y.High - pt.Y.Mean})
		}
	}
	return bars
}

// band returns the intervals as an area, or nothing if one of them is infinitely wide.
func band(points []figure.Point, c color.Color) []plot.Plotter {
	var edge plotter.XYs
	for i := range 2 * len(points) {
		if i < len(points) {
			edge = append(edge, plotter.XY{X: points[i].X, Y: points[i].Y.High})
		} else {
			back := points[2*len(points)-1-i]
			edge = append(edge, plotter.XY{X: back.X, Y: back.Y.Low})
		}
		if math.IsInf(edge[i].Y, 0) {
			return nil
		}
	}
	return []plot.Plotter{&plotter.Polygon{XYs: []plotter.XYs{edge}, Color: pale(c, 40)}}
}
