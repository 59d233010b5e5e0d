package figure

import (
	"errors"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The sizes of figures of several panels.
const (
	panelWidth  = 3.6 * vg.Inch
	panelHeight = 2.9 * vg.Inch // with the lines of text around it
	gutter      = 16            // between panels, and between them and the legend
)

// A sheet is a figure ready to be drawn.
type sheet struct {
	f          *Figure
	wide, high vg.Length
	head       []textLine
	plots      []*plot.Plot
	columns    int
	legend     plot.Legend
	aside      vg.Length // of the legend
}

// sheet lays out a figure.
func (f *Figure) sheet() (*sheet, error) {
	n := len(f.Panels)
	if n == 0 {
		return nil, errors.New("figure: no panel")
	}
	s := &sheet{f: f, wide: width, columns: n}
	if n > 3 {
		s.columns = int(math.Ceil(math.Sqrt(float64(n))))
	}
	looks := f.looks()
	for i := range f.Panels {
		p, err := f.Panels[i].plot(looks)
		if err != nil {
			return nil, err
		}
		s.plots = append(s.plots, p)
	}
	s.share()
	s.legend = f.legend(looks)
	size := s.legend.Rectangle(draw.Canvas{})
	s.aside = gutter + slack*(size.Max.X-size.Min.X)
	if n > 1 {
		s.wide = margin + s.aside + vg.Length(s.columns)*(panelWidth+gutter) - gutter
	}
	s.head = f.head(f.note(s.plots), (s.wide-margin)/slack)
	least := plotHeight
	if n > 1 {
		least = panelHeight * vg.Length(s.rows())
	} else {
		least = max(least, height-margin-heightOf(s.head))
	}
	s.high = margin + heightOf(s.head) + max(least, size.Max.Y-size.Min.Y)
	return s, nil
}

func (s *sheet) rows() int { return (len(s.plots) + s.columns - 1) / s.columns }

// share gives axes with the same label the same ends.
func (s *sheet) share() {
	for i, p := range s.plots {
		for k, q := range s.plots {
			if s.f.Panels[i].X == s.f.Panels[k].X {
				p.X.Min, p.X.Max = min(p.X.Min, q.X.Min), max(p.X.Max, q.X.Max)
			}
			if s.f.Panels[i].Y == s.f.Panels[k].Y {
				p.Y.Min, p.Y.Max = min(p.Y.Min, q.Y.Min), max(p.Y.Max, q.Y.Max)
			}
		}
	}
}

// texts returns the lines above and below a panel. A single panel has lines as wide as the figure.
func (s *sheet) texts(p *Panel) (above, below []textLine) {
	wide := (s.wide - margin) / slack
	if len(s.plots) > 1 {
		wide = panelWidth / slack
	}
	return p.above(wide), p.below(wide)
}

// draw draws everything.
func (s *sheet) draw(c draw.Canvas) {
	c.SetColor(s.plots[0].BackgroundColor)
	c.Fill(c.Path())
	c = draw.Crop(c, margin/2, -margin/2, margin/2, -margin/2)
	at := vg.Point{X: c.Min.X, Y: c.Max.Y}
	for i := range s.head {
		c.FillText(s.head[i].style, at, s.head[i].text)
		at.Y -= s.head[i].height()
	}
	var top, bottom vg.Length
	for i := range s.f.Panels {
		above, below := s.texts(&s.f.Panels[i])
		top, bottom = max(top, heightOf(above)), max(bottom, heightOf(below)+2)
	}
	area := draw.Crop(c, 0, -s.aside, 0, at.Y-c.Max.Y)
	tiles := draw.Tiles{Rows: s.rows(), Cols: s.columns, PadTop: top, PadBottom: bottom, PadX: gutter, PadY: top + bottom + gutter}
	grid := make([][]*plot.Plot, tiles.Rows)
	for row := range grid {
		grid[row] = make([]*plot.Plot, tiles.Cols)
		copy(grid[row], s.plots[row*s.columns:])
	}
	cells := plot.Align(grid, tiles, area)
	for i, p := range s.plots {
		cell := cells[i/s.columns][i%s.columns]
		p.Draw(cell)
		s.label(c, cell, p.DataCanvas(cell), &s.f.Panels[i])
	}
	s.legend.Draw(draw.Crop(c, area.Max.X-c.Min.X+gutter, 0, 0, at.Y-c.Max.Y))
}

// label writes the texts around a panel whose plot and data have some places.
func (s *sheet) label(c, cell, data draw.Canvas, p *Panel) {
	above, below := s.texts(p)
	at := vg.Point{X: cell.Min.X, Y: cell.Max.Y + heightOf(above)}
	for i := range above {
		c.FillText(above[i].style, at, above[i].text)
		at.Y -= above[i].height()
	}
	at.Y = cell.Min.Y - 2
	for i := range below {
		half := below[i].style.Width(below[i].text) / 2
		at.X = max(c.Min.X, min(data.Center().X-half, c.Max.X-2*slack*half))
		c.FillText(below[i].style, at, below[i].text)
		at.Y -= below[i].height()
	}
}
