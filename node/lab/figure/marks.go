package figure

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"peerd.dev/node/lab/stats"
)

// marks are the glyphs of a line, and the whiskers of its intervals. A curve has some along its way, at other
// places than other curves, so that those that lie under it still show.
type marks struct {
	points   []Point
	look     look
	whiskers bool
	all      bool // at every point
}

const (
	alongCurve = 6   // glyphs of a curve
	capWidth   = 2.5 // half the end of a whisker
)

// Plot implements [plot.Plotter].
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	radius := vg.Length(3)
	chosen := m.points
	if !m.all {
		radius, chosen = 2.4, nil
		for k := range alongCurve {
			part := (float64(k) + (float64(m.look.place.line)+.5)/float64(max(m.look.place.line+1, m.look.place.of))) / alongCurve
			want := c.Min.X + vg.Length(part)*(c.Max.X-c.Min.X)
			chosen = append(chosen, slices.MinFunc(m.points, func(a, b Point) int {
				return int(math.Copysign(1, math.Abs(float64(x(a.X)-want))-math.Abs(float64(x(b.X)-want))))
			}))
		}
		chosen = slices.CompactFunc(chosen, func(a, b Point) bool { return a.X == b.X })
	}
	for _, pt := range chosen {
		if at := x(pt.X); m.whiskers && !math.IsInf(pt.Y.High, 0) {
			whisker(c, shade(m.look.style), at, y(pt.Y.Low), y(pt.Y.High))
		}
		c.DrawGlyph(m.look.glyph(radius), vg.Point{X: x(pt.X), Y: y(pt.Y.Mean)})
	}
}

// DataRange implements [plot.DataRanger].
func (m marks) DataRange() (left, right, low, high float64) {
	left, right, low, high = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, pt := range m.points {
		left, right, low, high = min(left, pt.X), max(right, pt.X), min(low, pt.Y.Mean), max(high, pt.Y.Mean)
		if m.whiskers && !math.IsInf(pt.Y.High, 0) {
			low, high = min(low, pt.Y.Low), max(high, pt.Y.High)
		}
	}
	return left, right, low, high
}

// A level is a line at one height across a panel.
type level struct {
	y    stats.Interval
	look look
}

// Plot implements [plot.Plotter].
func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	at := y(l.y.Mean)
	c.StrokeLine2(l.look.line(1), c.Min.X, at, c.Max.X, at)
	if l.look.style < 0 {
		return
	}
	if left := c.Min.X + capWidth; !math.IsInf(l.y.High, 0) {
		whisker(c, shade(l.look.style), left, y(l.y.Low), y(l.y.High))
	}
	c.DrawGlyph(l.look.glyph(3), vg.Point{X: c.Min.X + capWidth, Y: at})
}

// DataRange implements [plot.DataRanger].
func (l level) DataRange() (left, right, low, high float64) {
	low, high = l.y.Mean, l.y.Mean
	if l.look.style >= 0 && !math.IsInf(l.y.High, 0) {
		low, high = l.y.Low, l.y.High
	}
	return math.Inf(1), math.Inf(-1), low, high
}

// A tag is a text next to a point.
type tag struct {
	text  string
	x, y  float64
	right bool // at the right end of the panel, whatever x
	bound bool
	first float64 // y of a bound's left end
}

// tagHeight is about the height of a tag, relative to a panel.
const tagHeight = .03

// tags are the numbers of lines, and the names of bounds where there are several.
type tags struct {
	all    []tag
	points []Point // what they must not cover
}

// add adds the tag of a line with its visible points.
func (s *tags) add(p *Panel, look look, l Line, points []Point) {
	last := points[len(points)-1]
	several := l.Bound && len(p.Lines)-p.measured() > 1
	if !l.Level && (p.Glyphs || several) {
		s.points = append(s.points, points...)
	}
	switch {
	case look.number > 0:
		s.all = append(s.all, tag{strconv.Itoa(look.number), last.X, last.Y.Mean, l.Level, false, 0})
	case several:
		name := strings.TrimPrefix(strings.TrimPrefix(l.Name, "lower "), "bound ") // "at ε = 1", or "bound"
		s.all = append(s.all, tag{name, last.X, last.Y.Mean, true, true, points[0].Y.Mean})
	}
}

// placed returns the tags. Bounds have theirs at the end where more of them can be distinguished, or none where no two can.
func (s *tags) placed(p *plot.Plot) []tag {
	others := slices.DeleteFunc(slices.Clone(s.all), func(t tag) bool { return t.bound })
	bounds := slices.DeleteFunc(slices.Clone(s.all), func(t tag) bool { return !t.bound })
	best := joined(bounds, p)
	for i := range bounds {
		bounds[i].y, bounds[i].right = bounds[i].first, false
	}
	if left := joined(bounds, p); len(left) > len(best) {
		best = left
	}
	if len(best) == 1 {
		return others
	}
	return append(others, best...)
}

// joined returns the tags of bounds, with one for those that are closer than the height of a tag: "at ε = 5, 15".
func joined(bounds []tag, p *plot.Plot) (all []tag) {
	for _, t := range bounds {
		k := slices.IndexFunc(all, func(o tag) bool {
			return math.Abs(p.Y.Norm(t.y)-p.Y.Norm(o.y)) < tagHeight
		})
		if k < 0 {
			all = append(all, t)
			continue
		}
		text := t.text
		if i := strings.LastIndex(text, "= ") + 1; i > 0 && strings.HasPrefix(all[k].text, text[:i]) {
			text = text[i+1:]
		}
		all[k].text += ", " + text
	}
	return all
}

// Plot implements [plot.Plotter]. Each tag is at the free place that is nearest to its point, or at the least covered one.
func (s *tags) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	text := style(7)
	text.XAlign, text.YAlign = draw.XCenter, draw.YCenter
	box := func(at vg.Point, w, h vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: at.X - w/2, Y: at.Y - h/2}, Max: vg.Point{X: at.X + w/2, Y: at.Y + h/2}}
	}
	var taken []vg.Rectangle
	for _, pt := range s.points {
		taken = append(taken, box(vg.Point{X: x(pt.X), Y: y(pt.Y.Mean)}, 6, 6))
	}
	for _, t := range s.placed(p) {
		w, h := text.Width(t.text), text.Height(t.text)
		from := vg.Point{X: c.Max.X - w/2 - 8, Y: y(t.y)}
		switch {
		case t.bound && !t.right:
			from.X = c.Min.X + w/2 + 8
		case !t.right:
			from.X = x(t.x)
		}
		best, least := from, vg.Length(math.Inf(1))
		for k := range 48 {
			far := vg.Length(3 + 4*(k/16))
			sin, cos := math.Sincos(math.Pi / 8 * float64(k%16))
			at := vg.Point{X: from.X + (far+w/2)*vg.Length(cos), Y: from.Y + (far+h/2)*vg.Length(sin)}
			r := box(at, w+1, h+1)
			cost := far / 100
			if t.bound && at.Y < from.Y { // it would be read as the name of the line below
				cost++
			}
			if r.Min.X < c.Min.X || r.Max.X > c.Max.X || r.Min.Y < c.Min.Y || r.Max.Y > c.Max.Y {
				cost += 1000
			}
			for _, o := range taken {
				cost += max(0, min(r.Max.X, o.Max.X)-max(r.Min.X, o.Min.X)) * max(0, min(r.Max.Y, o.Max.Y)-max(r.Min.Y, o.Min.Y))
			}
			if cost < least {
				best, least = at, cost
			}
		}
		taken = append(taken, box(best, w+1, h+1))
		c.FillText(text, best, t.text)
	}
}

// whisker draws an interval.
func whisker(c draw.Canvas, of color.Color, x, low, high vg.Length) {
	look := draw.LineStyle{Color: of, Width: .8}
	c.StrokeLine2(look, x, low, x, high)
	c.StrokeLine2(look, x-capWidth, low, x+capWidth, low)
	c.StrokeLine2(look, x-capWidth, high, x+capWidth, high)
}
