// Package figure draws the results of experiments. Equal figures have equal bytes.
package figure

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"peerd.dev/node/lab/stats"
)

// A Figure is panels with one legend. Axes with the same label have the same ends, and lines with the same
// name look the same.
type Figure struct {
	Title  string
	Note   string // below the title: what is not private, and what the intervals are over
	Panels []Panel
}

// A Panel is a set of lines with 95 % intervals.
type Panel struct {
	Title      string // empty for none
	X, Y       string // labels with units
	LogX, LogY bool
	Glyphs     bool // points with whiskers; otherwise lines
	Lines      []Line
}

// A Line is a curve with a name in the legend.
type Line struct {
	Name   string
	Family string    // lines of a family look the same, and have numbers; empty for a family of its own
	Points []Point   // by ascending X
	Runs   [][]Point // drawn thin, without intervals
	Bound  bool      // computed and not measured: drawn dotted and without intervals
	Level  bool      // its only point holds for all X, and is drawn across the panel
}

// A Point is an estimate with its interval. An infinitely wide interval is not drawn.
type Point struct {
	X float64
	Y stats.Interval
}

// The size of a figure of one panel, which is higher if title, note or legend need it. The legend is to the
// right of the lines, never over them.
const (
	width      = 7.2 * vg.Inch
	height     = 4.2 * vg.Inch
	plotHeight = 2.6 * vg.Inch // least height of plot and axes
	nameWidth  = 2.2 * vg.Inch // greatest width of a line of the legend
	thumbWidth = 28            // of a line in the legend: a whole pattern of dashes
	margin     = 9 * vg.Millimeter
	resolution = 200 // dots per inch

	// slack is the factor by which text may be wider than here without leaving the picture. An
	// SVG names a font, Liberation Sans, and is shown in another one where that is missing.
	slack = 1.15
)

// Write draws f as SVG and as PNG. It fails for a figure without points.
func (f *Figure) Write(svg, png io.Writer) error {
	s, err := f.sheet()
	if err != nil {
		return err
	}
	vector := vgsvg.New(s.wide, s.high)
	s.draw(draw.New(vector))
	var b bytes.Buffer
	if _, err = vector.WriteTo(&b); err != nil {
		return err
	}
	// Arial and Helvetica have the widths of Liberation Sans; other fonts need the slack.
	if _, err = svg.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))); err != nil {
		return err
	}
	pixels := vgimg.NewWith(vgimg.UseWH(s.wide, s.high), vgimg.UseDPI(resolution))
	s.draw(draw.New(pixels))
	_, err = vgimg.PngCanvas{Canvas: pixels}.WriteTo(png)
	return err
}

// A textLine is a line of text above or below a plot.
type textLine struct {
	text  string
	style text.Style
	gap   vg.Length // below
}

func (l *textLine) height() vg.Length { return l.style.Height("X") + l.gap }

// heightOf returns the height of some lines of text.
func heightOf(lines []textLine) (high vg.Length) {
	for i := range lines {
		high += lines[i].height()
	}
	return high
}

// head returns the lines above all panels: title and note.
func (f *Figure) head(note string, wide vg.Length) []textLine {
	lines := append(wrapped(f.Title, style(12), wide, 6), wrapped(note, style(8.5), wide, 5)...)
	if n := len(lines); n > 0 {
		lines[n-1].gap += 5
	}
	return lines
}

// above returns the lines above a panel: its title and, because gonum reserves the wrong space for it next to
// logarithmic axes, the label of y.
func (p *Panel) above(wide vg.Length) []textLine {
	return append(wrapped(p.Title, style(10.5), wide, 5), wrapped(p.Y, style(10), wide, 6)...)
}

// below returns the lines below a panel: the label of x.
func (p *Panel) below(wide vg.Length) []textLine {
	return wrapped(p.X, style(10), wide, 6)
}

// wrapped returns text in lines of a width, with a gap below each.
func wrapped(s string, in text.Style, wide, gap vg.Length) (lines []textLine) {
	for _, t := range wrap(s, wide, in.Width) {
		lines = append(lines, textLine{t, in, gap})
	}
	return lines
}

// plot returns the plot of a panel.
func (p *Panel) plot(looks *looks) (*plot.Plot, error) {
	g := plot.New()
	axis(&g.X, p.LogX)
	axis(&g.Y, p.LogY)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = faint, faint
	g.Add(grid)
	var areas, lines []plot.Plotter
	var tags tags
	measured := p.measured()
	for i, l := range p.Lines {
		points := p.visible(l)
		if len(points) == 0 {
			continue
		}
		drawn := looks.of[l.Name]
		drawn.place = place{i, measured}
		area, line, err := p.line(drawn, l, points)
		if err != nil {
			return nil, fmt.Errorf("figure: line %q: %w", l.Name, err)
		}
		areas, lines = append(areas, area...), append(lines, line...)
		tags.add(p, drawn, l, points)
	}
	g.Add(areas...)
	g.Add(lines...) // so that no area covers a line
	if len(lines) == 0 {
		return nil, fmt.Errorf("figure: nothing to draw in %q: logarithmic axes show numbers above 0 only", p.Title)
	}
	g.Add(&tags)
	limits(&g.Y, p.LogY)
	limits(&g.X, p.LogX)
	if looks.numbered {
		behind(&g.X, p.LogX)
	}
	g.X.Padding, g.Y.Padding = 0, 0
	if p.Glyphs {
		g.X.Padding, g.Y.Padding = 8, 4
	}
	return g, nil
}

// measured returns how many lines are no bounds.
func (p *Panel) measured() (n int) {
	for _, l := range p.Lines {
		if !l.Bound {
			n++
		}
	}
	return n
}

// note returns the note, extended by the lines that the axes do not show completely and by those
// that are hidden under others. The points of 0 with which most curves begin do not count.
func (f *Figure) note(plots []*plot.Plot) string {
	var missing, under []string
	for i := range f.Panels {
		p := &f.Panels[i]
		in := ""
		if p.Title != "" {
			in = " in " + p.Title
		}
		for _, l := range p.Lines {
			if n := len(p.visible(l)); n == 0 || p.Glyphs && n < len(l.Points) {
				missing = append(missing, l.Name+in)
			}
		}
		for _, name := range p.hidden(plots[i]) {
			under = append(under, name+in)
		}
	}
	note := f.Note
	if len(missing) > 0 {
		note += " Logarithmic axes cannot show 0, so points are missing from: " + strings.Join(missing, "; ") + "."
	}
	if len(under) > 0 {
		note += " Under another line: " + strings.Join(under, "; ") + "."
	}
	return note
}
