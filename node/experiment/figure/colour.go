package figure

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

//nolint:gochecknoglobals // constants that Go cannot spell
var (
	ink   = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	faint = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}

	// palette is that of Okabe and Ito 2008 without its yellow, which is too pale
	// for lines: people of all kinds of colour vision tell these apart.
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

// dashes tells lines apart whose colours repeat.
func dashes(i int) []vg.Length {
	return [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}}[i/len(palette)%4]
}

func glyph(i int) draw.GlyphDrawer {
	all := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{}}
	return all[i%len(all)]
}
