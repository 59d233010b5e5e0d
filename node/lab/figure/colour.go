package figure

import (
	"image/color"

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
	all := [len(palette)][]vg.Length{nil, {6, 3}, {2, 2}, {9, 3, 2, 3}, {12, 4}, {4, 2, 1, 2, 1, 2}, {1, 3}}
	return all[(i+i/len(palette))%len(all)]
}

func glyph(i int) draw.GlyphDrawer {
	all := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{}}
	return all[i%len(all)]
}
