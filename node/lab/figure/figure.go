// Package figure draws the results of experiments. Equal figures have equal bytes.
package figure

import (
	"bytes"
	"fmt"
	"io"

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

// note returns the note, extended by the lines that the axes do not show completely. The points of 0 with which
// most curves begin do not count.
func (f *Figure) note() string {
	missing := ""
	for i := range f.Panels {
		p := &f.Panels[i]
		in := ""
		if p.Title != "" {
			in = " in " + p.Title
		}
		for _, l := range p.Lines {
			if n := len(p.visible(l)); n == 0 || p.Glyphs && n < len(l.Points) {
				missing += "; " + l.Name + in
			}
		}
	}
	if missing == "" {
		return f.Note
	}
	return fmt.Sprintf("%s Logarithmic axes cannot show 0, so points are missing from: %s.", f.Note, missing[2:])
}
