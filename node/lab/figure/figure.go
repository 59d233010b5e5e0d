// Package figure has the figures of experiments as numbers.
package figure

import (
	"io"

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

// Draw draws a figure as SVG and as PNG; it fails for one without points. It is nil unless an extra sets it.
var Draw func(f *Figure, svg, png io.Writer) error //nolint:gochecknoglobals // an extra sets it in its init
