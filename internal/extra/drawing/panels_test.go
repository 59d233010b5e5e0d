package drawing

import (
	"html"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"peerd.dev/node/lab/figure"
	"peerd.dev/node/lab/stats"
)

func at(x, y float64) figure.Point {
	return figure.Point{X: x, Y: stats.Interval{Mean: y, Low: .9 * y, High: 1.1 * y}}
}

// panels has two rows, bounds and levels.
func panels() figure.Figure {
	lines := []figure.Line{
		{Name: "apple", Points: []figure.Point{at(100, 30)}},
		{Name: "pear", Points: []figure.Point{at(200, 20)}},
		{Name: "alone", Level: true, Points: []figure.Point{at(0, 50)}},
		{Name: "lower bound", Bound: true, Level: true, Points: []figure.Point{at(0, 5)}},
		{Name: "lower bound without noise", Bound: true, Level: true, Points: []figure.Point{at(0, 4)}},
	}
	other := []figure.Line{{Name: "apple", Points: []figure.Point{at(.1, 60), at(1, 300)}}}
	return figure.Figure{Title: "Title", Note: "Note.", Panels: []figure.Panel{
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
		"first": 1, "second": 1, "third": 1, "fourth": 1, "apple": 1, "pear": 1, "alone": 1, "lower bound without noise": 1, "regret": 3, "own regret": 1, "bytes": 2, "ε": 1,
	} {
		if got := strings.Count(all, ">"+text+"<"); got != times {
			t.Errorf("%q is there %d times, want %d", text, got, times)
		}
	}
}

// TestAxesOfOneLabelAreShared, and the legend has the highest line first and bounds last.
func TestAxesOfOneLabelAreShared(t *testing.T) {
	f := panels()
	s, err := layOut(&f)
	if err != nil {
		t.Fatal(err)
	}
	ends := func(a plot.Axis) [2]float64 { return [2]float64{a.Min, a.Max} }
	if p := slices.Concat(s.grid...); ends(p[0].Y) != ends(p[2].Y) || ends(p[0].Y) != ends(p[3].Y) || ends(p[0].X) != ends(p[1].X) || ends(p[0].Y) == ends(p[1].Y) || ends(p[2].X) == ends(p[3].X) {
		t.Error("axes with one label have other ends, or those with different labels the same")
	}
	if got, want := looksOf(&f).names, []string{"alone", "apple", "pear", "lower bound", "lower bound without noise"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestACurveUnderAnotherShows: their glyphs are at other places.
func TestACurveUnderAnotherShows(t *testing.T) {
	points := make([]figure.Point, 100)
	for i := range points {
		points[i] = at(float64(i+1), float64(i+1))
	}
	for i, under := range along(points, 0, 2) {
		if over := along(points, 1, 2)[i]; over.X-under.X < 5 {
			t.Errorf("glyph %d is at %v and %v", i, under.X, over.X)
		}
	}
}
