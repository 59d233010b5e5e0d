package drawing

import (
	"cmp"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"peerd.dev/node/lab/figure"
)

//nolint:gochecknoglobals // constants that Go has no literals for
var (
	ink   = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	faint = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}

	// palette has the colours of Okabe and Ito (2008), which people with any kind of colour
	// vision can distinguish, without their yellow, which is too pale for lines.
	palette = [...]color.NRGBA{
		{0x00, 0x72, 0xb2, 0xff},
		{0xd5, 0x5e, 0x00, 0xff},
		{0x00, 0x9e, 0x73, 0xff},
		{0xcc, 0x79, 0xa7, 0xff},
		{0xe6, 0x9f, 0x00, 0xff},
		{0x56, 0xb4, 0xe9, 0xff},
		{0x22, 0x22, 0x22, 0xff},
	}

	// patterns are of dashes, in points, one for each colour.
	patterns = [len(palette)][]vg.Length{nil, {6, 3}, {3, 2}, {9, 3, 2, 3}, {12, 4}, {4, 2, 1, 2, 1, 2}, {2, 4}}
)

// A look distinguishes a line from others: by colour, dashes and glyph, or a bound by its dots. There are seven patterns of
// dashes and eight glyphs, so 56 lines differ without colours.
type look struct {
	number int
	bound  bool
}

// line returns how a line is drawn.
func (l look) line() draw.LineStyle {
	if l.bound {
		return draw.LineStyle{Color: ink, Width: .8, Dashes: []vg.Length{1, 1.5 * vg.Length(1+l.number)}}
	}
	k := l.number % len(palette)
	return draw.LineStyle{Color: palette[k], Width: 1.2, Dashes: patterns[k]}
}

// glyph returns how points are drawn.
func (l look) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[l.number%len(palette)], Radius: 3, Shape: plotutil.Shape(l.number)}
}

// plotters returns a line and its glyphs.
func (l look) plotters(points []figure.Point) (line *plotter.Line, marks *plotter.Scatter) {
	return &plotter.Line{XYs: means(points), LineStyle: l.line()}, &plotter.Scatter{XYs: means(points), GlyphStyle: l.glyph()}
}

// pale returns a colour that lets others through.
func pale(c color.Color, alpha uint8) color.Color {
	n, _ := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = alpha
	return n
}

// looksOf are the looks of all lines of a figure.
type looks struct {
	of    map[string]look // by name
	names []string        // for the legend
}

// looksOf gives every name a look. The legend has lines in the order of their ends, the highest first, and then
// bounds.
func looksOf(f *figure.Figure) *looks {
	s := &looks{of: make(map[string]look)}
	ends := make(map[string]float64)
	var bounds []string
	for i := range f.Panels {
		p := &f.Panels[i]
		for _, l := range p.Lines {
			seen := visible(p, l)
			if _, ok := s.of[l.Name]; ok || len(seen) == 0 {
				continue
			}
			if l.Bound {
				s.of[l.Name], bounds = look{len(bounds), true}, append(bounds, l.Name)
				continue
			}
			s.of[l.Name], ends[l.Name] = look{number: len(s.names)}, seen[len(seen)-1].Y.Mean
			s.names = append(s.names, l.Name)
		}
	}
	slices.SortStableFunc(s.names, func(a, b string) int { return cmp.Compare(ends[b], ends[a]) })
	s.names = append(s.names, bounds...)
	return s
}

// legendOf returns the legend of all panels. A long name takes several lines of text.
func legendOf(looks *looks) plot.Legend {
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding, legend.TextStyle.Font, legend.ThumbnailWidth = true, true, 4, style(9.5).Font, 28
	for _, name := range looks.names {
		line, marks := looks.of[name].plotters(nil)
		thumbs := []plot.Thumbnailer{line, marks}
		if looks.of[name].bound {
			thumbs = thumbs[:1]
		}
		for part := range strings.Lines(wrap(name, nameWidth, legend.TextStyle.Width)) {
			legend.Add(strings.TrimSuffix(part, "\n"), thumbs...)
			thumbs = nil
		}
	}
	return legend
}
