package figure

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"peerd.dev/node/lab/stats"
)

func at(x, y float64) Point { return Point{x, stats.Interval{Mean: y, Low: .9 * y, High: 1.1 * y}} }

// panels has two rows, a bound, a level and lines of a family.
func panels() Figure {
	lines := []Line{
		{Name: "apple", Family: "fruit", Points: []Point{at(100, 30)}},
		{Name: "pear", Family: "fruit", Points: []Point{at(200, 20)}},
		{Name: "alone", Level: true, Points: []Point{at(0, 50)}},
		{Name: "lower bound", Bound: true, Level: true, Points: []Point{at(0, 5)}},
		{Name: "lower bound without noise", Bound: true, Level: true, Points: []Point{at(0, 4)}},
	}
	other := []Line{{Name: "apple", Family: "fruit", Points: []Point{at(.1, 60), at(1, 300)}}}
	return Figure{Title: "Title", Note: "Note.", Panels: []Panel{
		{Title: "first", X: "bytes", Y: "regret", LogX: true, LogY: true, Glyphs: true, Lines: lines},
		{Title: "second", X: "bytes", Y: "own regret", LogX: true, LogY: true, Glyphs: true, Lines: lines[1:]},
		{Title: "third", X: "ε", Y: "regret", LogX: true, LogY: true, Glyphs: true, Lines: other},
		{Title: "fourth", X: "rounds", Y: "regret", LogY: true, Lines: other},
	}}
}

// TestPanelsAreTheSameBytes, name every line once and each panel, and stay inside.
func TestPanelsAreTheSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	f := panels()
	all := html.UnescapeString(drawn(t, &f))
	for text, times := range map[string]int{
		"first": 1, "second": 1, "third": 1, "fourth": 1, "apple": 1, "pear": 1, "alone": 1, "lower bound without noise": 1, "without noise": 2, "regret": 3, "own regret": 1, "bytes": 2, "ε": 1,
	} {
		if got := strings.Count(all, ">"+text+"<"); got != times {
			t.Errorf("%q is there %d times, want %d", text, got, times)
		}
	}
}

// TestAxesOfOneLabelAreShared, and lines are numbered from the lowest one up where a family has several.
func TestAxesOfOneLabelAreShared(t *testing.T) {
	f := panels()
	s, err := f.sheet()
	if err != nil {
		t.Fatal(err)
	}
	ends := func(a plot.Axis) [2]float64 { return [2]float64{a.Min, a.Max} }
	if p := s.plots; ends(p[0].Y) != ends(p[2].Y) || ends(p[0].Y) != ends(p[3].Y) || ends(p[0].X) != ends(p[1].X) || ends(p[0].Y) == ends(p[1].Y) || ends(p[2].X) == ends(p[3].X) {
		t.Error("axes with one label have other ends, or those with different labels the same")
	}
	looks := f.looks()
	if a, b := looks.of["apple"], looks.of["pear"]; !looks.numbered || a.style != b.style || a.number != 2 || b.number != 1 || looks.of["alone"].number != 3 || looks.of["lower bound"].style != -1 {
		t.Errorf("%+v", looks)
	}
}

// TestFourteenLinesDifferWithoutColours: by glyph alone, and neighbours by dashes too; without a family none has a number.
func TestFourteenLinesDifferWithoutColours(t *testing.T) {
	glyphs := make(map[string]bool)
	var f Figure
	f.Panels = make([]Panel, 1)
	for i := range distinct {
		glyphs[fmt.Sprintf("%T %+v", glyph(i), glyph(i))] = true
		if fmt.Sprint(dashes(i)) == fmt.Sprint(dashes(i+1)) || fmt.Sprint(dashes(i)) == fmt.Sprint(dots()) {
			t.Errorf("line %d has the dashes of the next one, or of bounds", i)
		}
		f.Panels[0].Lines = append(f.Panels[0].Lines, Line{Name: fmt.Sprint(i), Points: []Point{at(1, float64(i))}})
	}
	if len(glyphs) != distinct {
		t.Errorf("%d glyphs, want %d", len(glyphs), distinct)
	}
	if looks := f.looks(); looks.numbered || looks.names[0] != "13" || looks.names[13] != "0" {
		t.Errorf("%+v, want the highest first", looks.names)
	}
}

// TestACurveUnderAnotherShows: their glyphs are at other places.
func TestACurveUnderAnotherShows(t *testing.T) {
	points := make([]Point, 100)
	for i := range points {
		points[i] = at(float64(i+1), float64(i+1))
	}
	f := Figure{Panels: []Panel{{X: "rounds", Y: "regret", Lines: []Line{{Name: "under", Points: points}, {Name: "over", Points: points}}}}}
	var svg bytes.Buffer
	if err := f.Write(&svg, new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(svg.String(), "fill:#FFFFFF"); n < alongCurve {
		t.Errorf("%d open glyphs of the second line, want %d and more", n, alongCurve)
	}
}

// TestBoundsThatEndTogetherShareATag: their names would lie on each other.
func TestBoundsThatEndTogetherShareATag(t *testing.T) {
	f := Figure{Panels: []Panel{{X: "rounds", Y: "regret", Lines: []Line{
		{Name: "a", Points: []Point{at(1, 1), at(2, 100)}},
		{Name: "lower bound at ε = 1", Bound: true, Points: []Point{at(1, 40), at(2, 50)}},
		{Name: "lower bound at ε = 5", Bound: true, Points: []Point{at(1, 1), at(2, 2)}},
		{Name: "lower bound at ε = 15", Bound: true, Points: []Point{at(1, 1), at(2, 1.9)}},
	}}}}
	svg := html.UnescapeString(drawn(t, &f))
	for _, text := range []string{"at ε = 1", "at ε = 5, 15"} {
		if strings.Count(svg, ">"+text+"<") != 1 {
			t.Errorf("%q is not there once", text)
		}
	}
}
