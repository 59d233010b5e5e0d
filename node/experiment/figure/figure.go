// Package figure draws the results of experiments. The same figure is the same bytes.
package figure

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"peerd.dev/node/experiment"
)

// A Figure is lines with 95 % intervals.
type Figure struct {
	Title      string
	Note       string // below the title: what is not private, over what the intervals are
	X, Y       string // labels with units
	LogX, LogY bool
	Marks      bool // points with whiskers; else lines with bands
	Lines      []Line
}

// A Line is one entry of the legend.
type Line struct {
	Name   string
	Points []Point // by ascending X
}

// A Point is an estimate with its interval, which may be infinitely wide and is then not
// drawn.
type Point struct {
	X float64
	Y experiment.Interval
}

// The size of a figure, which is higher where title, note or legend need it. The legend
// stands beside the lines, never over them.
const (
	width      = 7.2 * vg.Inch
	height     = 4.2 * vg.Inch
	plotHeight = 2.6 * vg.Inch // the least of plot and axes
	nameWidth  = 2.2 * vg.Inch // the most of a line of the legend
	margin     = 9 * vg.Millimeter
	resolution = 200 // dots per inch
)

// Write draws f as SVG and as PNG. It fails for a figure without points.
func (f *Figure) Write(svg, png io.Writer) error {
	p, legend, err := f.plot()
	if err != nil {
		return err
	}
	head := f.head()
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
	// Whoever lacks the font has one of the same widths.
	if _, err = svg.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))); err != nil {
		return err
	}
	pixels := vgimg.NewWith(vgimg.UseWH(width, high), vgimg.UseDPI(resolution))
	f.draw(head, p, legend, draw.New(pixels))
	_, err = vgimg.PngCanvas{Canvas: pixels}.WriteTo(png)
	return err
}

// legendHeight returns how high the legend is, or the plot beside it if that is higher.
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

// head returns what stands above the plot: title, note and, since gonum reserves the
// wrong room for it beside logarithmic axes, the label of y.
func (f *Figure) head() []headLine {
	var lines []headLine
	title, note, label := style(12), style(8.5), style(10)
	for _, t := range wrap(f.Title, width-margin, title.Width) {
		lines = append(lines, headLine{t, title, 6})
	}
	for _, t := range wrap(f.note(), width-margin, note.Width) {
		lines = append(lines, headLine{t, note, 5})
	}
	if n := len(lines); n > 0 {
		lines[n-1].gap += 5
	}
	return append(lines, headLine{f.Y, label, 6})
}

// draw puts head, plot, label of x and legend on c.
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
	room := label.Height("X") + 8
	size := legend.Rectangle(c)
	area := draw.Crop(c, 0, -(size.Max.X-size.Min.X)-14, room, at.Y-c.Max.Y)
	p.Draw(area)
	data := p.DataCanvas(area)
	label.XAlign = draw.XCenter
	c.FillText(label, vg.Point{X: data.Center().X, Y: c.Min.Y + room}, f.X)
	legend.Draw(draw.Crop(c, area.Max.X-c.Min.X+14, 0, 0, at.Y-c.Max.Y))
}

func (f *Figure) plot() (*plot.Plot, plot.Legend, error) {
	p := plot.New()
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding, legend.TextStyle = true, true, 4, style(9.5)
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
		area, line, err := f.line(&legend, i, l.Name, points)
		if err != nil {
			return nil, legend, fmt.Errorf("figure: line %q: %w", l.Name, err)
		}
		areas, lines = append(areas, area...), append(lines, line...)
	}
	p.Add(areas...)
	p.Add(lines...) // so that no area lies over one
	if len(lines) == 0 {
		return nil, legend, fmt.Errorf("figure: nothing to draw in %q: logarithmic axes show numbers over 0 alone", f.Title)
	}
	limits(&p.Y, f.LogY)
	limits(&p.X, f.LogX)
	p.X.Padding, p.Y.Padding = 0, 0
	if f.Marks {
		p.X.Padding, p.Y.Padding = 8, 4
	}
	return p, legend, nil
}

// note returns the note, and what the axes cannot show. That a curve begins with a few
// points of 0 goes without saying.
func (f *Figure) note() string {
	var missing []string
	for _, l := range f.Lines {
		if n := len(f.visible(l.Points)); n == 0 || f.Marks && n < len(l.Points) {
			missing = append(missing, l.Name)
		}
	}
	if len(missing) == 0 {
		return f.Note
	}
	return f.Note + " Logarithmic axes have no place for 0, so points are missing of: " + strings.Join(missing, "; ") + "."
}

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

// line returns what is drawn of a line, below and above, and adds it to the legend.
func (f *Figure) line(legend *plot.Legend, i int, name string, points []Point) (below, above []plot.Plotter, err error) {
	xys := make(plotter.XYs, len(points))
	for k, pt := range points {
		xys[k] = plotter.XY{X: pt.X, Y: pt.Y.Mean}
	}
	line, err := plotter.NewLine(xys)
	if err != nil {
		return nil, nil, err
	}
	line.Color, line.Width, line.Dashes = shade(i), 1.6, dashes(i)
	if !f.Marks {
		area, bad := band(points, i)
		entry(legend, name, line)
		return area, []plot.Plotter{line}, bad
	}
	line.Width = 0.8
	dots, err := plotter.NewScatter(xys)
	if err != nil {
		return nil, nil, err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: shade(i), Radius: 3, Shape: glyph(i)}
	whiskers, err := plotter.NewYErrorBars(intervals(points))
	if err != nil {
		return nil, nil, err
	}
	whiskers.Color, whiskers.Width, whiskers.CapWidth = shade(i), 1.2, 6
	entry(legend, name, line, dots)
	return nil, []plot.Plotter{line, whiskers, dots}, nil
}

// entry adds a line to the legend. A long name takes several lines of text.
func entry(legend *plot.Legend, name string, thumbs ...plot.Thumbnailer) {
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

// intervals are points with errors, as gonum wants them.
type intervals []Point

func (s intervals) Len() int { return len(s) }

func (s intervals) XY(i int) (x, y float64) { return s[i].X, s[i].Y.Mean }

func (s intervals) YError(i int) (low, high float64) {
	if y := s[i].Y; !math.IsInf(y.High, 0) {
		return y.Mean - y.Low, y.High - y.Mean
	}
	return 0, 0
}

// wrap breaks text into lines of a width, where words allow if they are not longer.
func wrap(s string, most vg.Length, wide func(string) vg.Length) []string {
	var lines []string
	for _, word := range strings.Fields(s) {
		if n := len(lines) - 1; n >= 0 && wide(lines[n]+" "+word) <= most {
			lines[n] += " " + word
			continue
		}
		for part := ""; word != ""; word = part {
			word, part = fitting(word, most, wide)
			lines = append(lines, word)
		}
	}
	return lines
}

// fitting returns the longest beginning of a word that is within a width, at least a
// letter, and the rest.
func fitting(word string, most vg.Length, wide func(string) vg.Length) (begin, rest string) {
	if wide(word) <= most {
		return word, ""
	}
	end := 0
	for i := range word {
		if end > 0 && wide(word[:i]) > most {
			break
		}
		end = i
	}
	if end == 0 {
		return word, ""
	}
	return word[:end], word[end:]
}

// style returns black text of a size in points.
func style(size vg.Length) text.Style {
	return text.Style{
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Color: ink,
		YAlign: draw.YTop, Handler: plot.DefaultTextHandler,
	}
}
