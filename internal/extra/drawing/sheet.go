package drawing

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"peerd.dev/node/lab/figure"
)

// The sizes of a figure, which is higher if texts or the legend need it. The legend is to the right of the panels.
const (
	width       = 7.2 * vg.Inch // of a figure of one panel
	height      = 2.8 * vg.Inch // of its plot and ticks
	panelWidth  = 3.6 * vg.Inch // where there are several
	panelHeight = 2.3 * vg.Inch
	ticksWidth  = .8 * vg.Inch  // left of a plot, at most
	nameWidth   = 2.2 * vg.Inch // greatest width of a line of the legend
	gutter      = 16            // between panels, and between them and the legend
	margin      = 9 * vg.Millimeter
	resolution  = 200 // dots per inch

	// slack is the factor by which text may be wider than here without leaving the picture. An
	// SVG names a font, Liberation Sans, and is shown in another one where that is missing.
	slack = 1.15
)

// A sheet is a figure ready to be drawn.
type sheet struct {
	wide, high  vg.Length
	title, note string
	grid        [][]*plot.Plot
	legend      plot.Legend
	aside       vg.Length // of the legend
}

// layOut lays out a figure.
func layOut(f *figure.Figure) (*sheet, error) {
	n := len(f.Panels)
	if n == 0 {
		return nil, errors.New("figure: no panel")
	}
	columns := n
	if n > 3 {
		columns = int(math.Ceil(math.Sqrt(float64(n))))
	}
	looks := looksOf(f)
	s := &sheet{wide: width, legend: legendOf(looks)}
	size := s.legend.Rectangle(draw.Canvas{}).Size()
	s.aside = gutter + slack*size.X
	cell, least := width-margin-s.aside, height
	if n > 1 {
		cell, least = panelWidth, panelHeight
		s.wide = margin + s.aside + vg.Length(columns)*(panelWidth+gutter) - gutter
	}
	var plots []*plot.Plot
	var texts vg.Length // above and below a panel
	for i := range f.Panels {
		p := &f.Panels[i]
		g, err := plotOf(p, looks, across(f, p))
		if err != nil {
			return nil, err
		}
		g.Title.Text, g.X.Label.Text = wrap(p.Title, cell/slack, g.Title.TextStyle.Width), wrap(p.X, (cell-ticksWidth)/slack, g.X.Label.TextStyle.Width)
		if g.Title.Text != "" {
			g.Title.Text += "\n"
		}
		// It stands above, since a long one would not fit along the axis.
		g.Title.Text += wrap(p.Y, cell/slack, g.Title.TextStyle.Width)
		texts = max(texts, g.Title.TextStyle.Height(g.Title.Text)+g.X.Label.TextStyle.Height(g.X.Label.Text))
		plots = append(plots, g)
	}
	share(f, plots)
	text := (s.wide - margin) / slack
	s.title, s.note = wrap(f.Title, text, style(12).Width), wrap(noteOf(f), text, style(8.5).Width)
	s.grid = slices.Collect(slices.Chunk(plots, columns))
	last := &s.grid[len(s.grid)-1]
	*last = append(slices.Clip(*last), make([]*plot.Plot, columns-len(*last))...)
	s.high = margin + s.head() + max(vg.Length(len(s.grid))*(least+texts+gutter), size.Y)
	return s, nil
}

// head is the height of title and note.
func (s *sheet) head() vg.Length {
	return style(12).Height(s.title) + style(8.5).Height(s.note) + gutter
}

// across returns the least and greatest X of the panels with the X of p.
func across(f *figure.Figure, p *figure.Panel) (ends [2]float64) {
	ends = [2]float64{math.Inf(1), math.Inf(-1)}
	for i := range f.Panels {
		for _, l := range f.Panels[i].Lines {
			for _, pt := range visible(&f.Panels[i], l) {
				if f.Panels[i].X == p.X && !l.Level {
					ends = [2]float64{min(ends[0], pt.X), max(ends[1], pt.X)}
				}
			}
		}
	}
	if ends[0] > ends[1] { // levels alone
		return [2]float64{1, 10}
	}
	return ends
}

// share gives axes with the same label the same ends.
func share(f *figure.Figure, plots []*plot.Plot) {
	for i, p := range plots {
		for k, q := range plots {
			if f.Panels[i].X == f.Panels[k].X {
				p.X.Min, p.X.Max = min(p.X.Min, q.X.Min), max(p.X.Max, q.X.Max)
			}
			if f.Panels[i].Y == f.Panels[k].Y {
				p.Y.Min, p.Y.Max = min(p.Y.Min, q.Y.Min), max(p.Y.Max, q.Y.Max)
			}
		}
	}
}

// draw draws everything.
func (s *sheet) draw(c draw.Canvas) {
	c.SetColor(s.grid[0][0].BackgroundColor)
	c.Fill(c.Path())
	c = draw.Crop(c, margin/2, -margin/2, margin/2, -margin/2)
	c.FillText(style(12), vg.Point{X: c.Min.X, Y: c.Max.Y}, s.title)
	c.FillText(style(8.5), vg.Point{X: c.Min.X, Y: c.Max.Y - style(12).Height(s.title) - 4}, s.note)
	c = draw.Crop(c, 0, 0, 0, -s.head())
	area := draw.Crop(c, 0, -s.aside, 0, 0)
	for i, row := range plot.Align(s.grid, draw.Tiles{Rows: len(s.grid), Cols: len(s.grid[0]), PadX: gutter, PadY: gutter}, area) {
		for k, cell := range row {
			if g := s.grid[i][k]; g != nil {
				g.Draw(cell)
			}
		}
	}
	s.legend.Draw(draw.Crop(c, area.Max.X-c.Min.X+gutter, 0, 0, 0))
}
