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

// A Figure is a set of lines with 95 % intervals.
type Figure struct {
	Title      string
	Note       string // below the title: what is not private, and what the intervals are over
	X, Y       string // labels with units
	LogX, LogY bool
	Glyphs     bool // points with whiskers; otherwise lines with bands
	Lines      []Line
}

// A Line is a curve with a name in the legend.
type Line struct {
	Name   string
	Points []Point   // by ascending X
	Runs   [][]Point // drawn thin, without intervals
}

// A Point is an estimate with its interval. An infinitely wide interval is not drawn.
type Point struct {
	X float64
	Y stats.Interval
}

// The size of a figure, which is higher if title, note or legend need it. The legend is to the
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
	slack     = 1.15
	headWidth = (width - margin) / slack // greatest width of a line above the plot
)

// Write draws f as SVG and as PNG. It fails for a figure without points.
func (f *Figure) Write(svg, png io.Writer) error {
	p, legend, err := f.plot()
	if err != nil {
		return err
	}
	head := f.head(p)
	high := margin + legendHeight(legend)
	for _, l := range head {
		high += l.height()
	}
	high = max(height, high)
	vector := vgsvg.New(width, high)
	f.draw(head, p, legend, draw.New(vector))
	var b bytes.Buffer
	if _, err = vector.WriteTo(&b); err != nil {
		return err
	}
	// Arial and Helvetica have the widths of Liberation Sans; other fonts need the slack.
	if _, err = svg.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))); err != nil {
		return err
	}
	pixels := vgimg.NewWith(vgimg.UseWH(width, high), vgimg.UseDPI(resolution))
	f.draw(head, p, legend, draw.New(pixels))
	_, err = vgimg.PngCanvas{Canvas: pixels}.WriteTo(png)
	return err
}

// legendHeight returns the height of the legend or of the plot next to it, whichever is higher.
func legendHeight(legend plot.Legend) vg.Length {
	size := legend.Rectangle(draw.Canvas{})
	return max(plotHeight, size.Max.Y-size.Min.Y)
}

// A headLine is a line of text above the plot.
type headLine struct {
	text  string
	style text.Style
	gap   vg.Length // below
}

func (l *headLine) height() vg.Length { return l.style.Height("X") + l.gap }

// head returns the lines above the plot: title, note and, because gonum reserves the wrong space
// for it next to logarithmic axes, the label of y.
func (f *Figure) head(p *plot.Plot) []headLine {
	var lines []headLine
	title, note, label := style(12), style(8.5), style(10)
	for _, t := range wrap(f.Title, headWidth, title.Width) {
		lines = append(lines, headLine{t, title, 6})
	}
	for _, t := range wrap(f.note(p), headWidth, note.Width) {
		lines = append(lines, headLine{t, note, 5})
	}
	if n := len(lines); n > 0 {
		lines[n-1].gap += 5
	}
	for _, t := range wrap(f.Y, headWidth, label.Width) {
		lines = append(lines, headLine{t, label, 6})
	}
	return lines
}

// draw draws head, plot, label of x and legend on c.
func (f *Figure) draw(head []headLine, p *plot.Plot, legend plot.Legend, c draw.Canvas) {
	c.SetColor(p.BackgroundColor)
	c.Fill(c.Path())
	c = draw.Crop(c, margin/2, -margin/2, margin/2, -margin/2)
	at := vg.Point{X: c.Min.X, Y: c.Max.Y}
	for i := range head {
		c.FillText(head[i].style, at, head[i].text)
		at.Y -= head[i].height()
	}
	label := style(10)
	below := wrap(f.X, headWidth, label.Width)
	step := label.Height("X") + 6
	room := step*vg.Length(len(below)) + 2
	size := legend.Rectangle(c)
	aside := 14 + slack*(size.Max.X-size.Min.X)
	area := draw.Crop(c, 0, -aside, room, at.Y-c.Max.Y)
	p.Draw(area)
	data := p.DataCanvas(area)
	centre := data.Center().X
	for i, t := range below {
		half := label.Width(t) / 2
		x := max(c.Min.X, min(centre-half, c.Max.X-2*slack*half))
		c.FillText(label, vg.Point{X: x, Y: c.Min.Y + room - step*vg.Length(i)}, t)
	}
	legend.Draw(draw.Crop(c, area.Max.X-c.Min.X+14, 0, 0, at.Y-c.Max.Y))
}

func (f *Figure) plot() (*plot.Plot, plot.Legend, error) {
	p := plot.New()
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding, legend.TextStyle, legend.ThumbnailWidth = true, true, 4, style(9.5), thumbWidth
	legend.TextStyle.YAlign = draw.YBottom
	axis(&p.X, f.LogX)
	axis(&p.Y, f.LogY)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = faint, faint
	p.Add(grid)
	var areas, lines []plot.Plotter
	for i, l := range f.Lines {
		points := f.visible(l.Points)
		if len(points) == 0 {
			continue
		}
		area, line, err := f.line(&legend, i, l, points)
		if err != nil {
			return nil, legend, fmt.Errorf("figure: line %q: %w", l.Name, err)
		}
		areas, lines = append(areas, area...), append(lines, line...)
	}
	p.Add(areas...)
	p.Add(lines...) // so that no area covers a line
	if len(lines) == 0 {
		return nil, legend, fmt.Errorf("figure: nothing to draw in %q: logarithmic axes show numbers above 0 only", f.Title)
	}
	limits(&p.Y, f.LogY)
	limits(&p.X, f.LogX)
	p.X.Padding, p.Y.Padding = 0, 0
	if f.Glyphs {
		p.X.Padding, p.Y.Padding = 8, 4
	}
	return p, legend, nil
}

// note returns the note, extended by the lines that the axes do not show completely and by those
// that are hidden under others. The points of 0 with which most curves begin do not count.
func (f *Figure) note(p *plot.Plot) string {
	var missing []string
	for _, l := range f.Lines {
		if n := len(f.visible(l.Points)); n == 0 || f.Glyphs && n < len(l.Points) {
			missing = append(missing, l.Name)
		}
	}
	note := f.Note
	if len(missing) > 0 {
		note += " Logarithmic axes cannot show 0, so points are missing from: " + strings.Join(missing, "; ") + "."
	}
	if hidden := f.hidden(p); len(hidden) > 0 {
		note += " Under another line: " + strings.Join(hidden, "; ") + "."
	}
	return note
}
