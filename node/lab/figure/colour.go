package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
)

func shade(i int) color.NRGBA { return palette[i%len(palette)] }

// dashes returns the pattern of line i, in points. Lines with different colours also have
// different patterns, for readers and printers without colours; a pair of colour and pattern
// recurs after 49 lines.
func dashes(i int) []vg.Length {
	all := [len(palette)][]vg.Length{nil, {6, 3}, {3, 2}, {9, 3, 2, 3}, {12, 4}, {4, 2, 1, 2, 1, 2}, {2, 4}}
	return all[(i+i/len(palette))%len(all)]
}

// dots is the pattern of bounds.
func dots() []vg.Length { return []vg.Length{1, 1.5} }

// line returns how a line is drawn.
func (l *look) line(width vg.Length) draw.LineStyle {
	if l.style < 0 {
		return draw.LineStyle{Color: ink, Width: width / 2, Dashes: dots()}
	}
	return draw.LineStyle{Color: shade(l.style), Width: width, Dashes: dashes(l.style)}
}

// glyph returns how points are drawn.
func (l *look) glyph(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: shade(l.style), Radius: radius, Shape: glyph(l.style)}
}

// glyph returns the glyph of line i: all of [distinct] lines differ, also without colours.
func glyph(i int) draw.GlyphDrawer {
	const up, down, flat = math.Pi / 2, -math.Pi / 2, math.Pi / 4
	all := [distinct]draw.GlyphDrawer{
		draw.CircleGlyph{},
		shape{4, flat, 1, true},
		shape{3, up, 1, false},
		shape{8, flat, .3, false},
		shape{4, up, 1, false},
		shape{3, down, 1, true},
		shape{8, up, .3, false},
		shape{16, 0, 1, true},
		shape{4, flat, 1, false},
		shape{3, up, 1, true},
		shape{10, up, .4, false},
		shape{4, up, 1, true},
		shape{3, down, 1, false},
		shape{10, up, .4, true},
	}
	return all[i%len(all)]
}

// A shape is a polygon: the first of its corners is at an angle, and every second one at a part of the radius.
type shape struct {
	corners     int
	first, part float64
	open        bool
}

// DrawGlyph implements [draw.GlyphDrawer].
func (s shape) DrawGlyph(c *draw.Canvas, look draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	for k := range s.corners {
		r := float64(look.Radius) * (1.6 - s.part/2) // stars are thin
		if k%2 == 1 {
			r *= s.part
		}
		sin, cos := math.Sincos(s.first + 2*math.Pi*float64(k)/float64(s.corners))
		corner := vg.Point{X: at.X + vg.Length(r*cos), Y: at.Y + vg.Length(r*sin)}
		if k == 0 {
			p.Move(corner)
		} else {
			p.Line(corner)
		}
	}
	p.Close()
	if !s.open {
		c.Fill(p)
		return
	}
	c.SetColor(color.White)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: look.Color, Width: 1})
	c.Stroke(p)
}
