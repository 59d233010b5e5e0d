package figure

import (
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A look distinguishes a line from others.
type look struct {
	style  int   // of colour, dashes and glyph; -1 for a bound
	number int   // next to its points and in the legend; 0 for none
	place  place // in a panel
}

// place is a line's number in a panel, and how many lines the panel has that are no bounds.
type place struct{ line, of int }

// looks are the looks of all lines of a figure.
type looks struct {
	of       map[string]look // by name
	names    []string        // for the legend
	numbered bool
}

// distinct is the number of lines that differ by their glyphs alone.
const distinct = 14

// looks gives every name a look. The legend has lines in the order of their ends, the highest first, and then
// bounds. Numbered lines begin with the lowest.
func (f *Figure) looks() *looks {
	s := &looks{of: make(map[string]look)}
	ends := make(map[string]float64)
	var families, bounds []string
	for i := range f.Panels {
		for _, l := range f.Panels[i].Lines {
			if _, ok := s.of[l.Name]; ok || len(l.Points) == 0 {
				continue
			}
			if l.Bound {
				s.of[l.Name] = look{style: -1}
				bounds = append(bounds, l.Name)
				continue
			}
			family := l.Family
			if family == "" {
				family = l.Name
			}
			k := slices.Index(families, family)
			if k < 0 {
				k, families = len(families), append(families, family)
			}
			s.of[l.Name], ends[l.Name] = look{style: k}, l.Points[len(l.Points)-1].Y.Mean
			s.names = append(s.names, l.Name)
		}
	}
	s.numbered = len(families) < len(s.names) || len(families) > distinct
	slices.SortStableFunc(s.names, func(a, b string) int {
		switch {
		case ends[a] == ends[b]:
			return 0
		case ends[a] < ends[b] == s.numbered:
			return -1
		}
		return 1
	})
	for i, name := range s.names {
		if s.numbered {
			s.of[name] = look{style: s.of[name].style, number: i + 1}
		}
	}
	s.names = append(s.names, bounds...)
	return s
}

// legend returns the legend of all panels.
func (f *Figure) legend(looks *looks) plot.Legend {
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding, legend.TextStyle, legend.ThumbnailWidth = true, true, 4, style(9.5), thumbWidth
	legend.TextStyle.YAlign = draw.YBottom
	if looks.numbered {
		legend.ThumbnailWidth += numberWidth
	}
	for _, name := range looks.names {
		t := thumb{look: looks.of[name]}
		for i := range f.Panels {
			p := &f.Panels[i]
			for _, l := range p.Lines {
				if l.Name == name && len(p.visible(l)) > 0 {
					t.shown, t.joined = true, t.joined || l.Level || len(l.Points) > 1
				}
			}
		}
		if t.shown {
			addName(&legend, name, t)
		}
	}
	return legend
}

// numberWidth is the room of a number in the legend.
const numberWidth = 14

// A thumb shows a line in the legend.
type thumb struct {
	look          look
	shown, joined bool
}

// Thumbnail implements [plot.Thumbnailer].
func (t thumb) Thumbnail(c *draw.Canvas) {
	middle := c.Center()
	middle.X = c.Max.X - thumbWidth/2
	if t.joined || t.look.style < 0 {
		c.StrokeLine2(t.look.line(1.6), c.Max.X-thumbWidth, middle.Y, c.Max.X, middle.Y)
	}
	if t.look.style >= 0 {
		c.DrawGlyph(t.look.glyph(3), middle)
	}
	if t.look.number > 0 {
		small := style(7.5)
		small.YAlign = draw.YCenter
		c.FillText(small, vg.Point{X: c.Min.X, Y: middle.Y}, strconv.Itoa(t.look.number))
	}
}
