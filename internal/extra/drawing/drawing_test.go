package drawing

import (
	"bytes"
	"fmt"
	"html"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"peerd.dev/internal/require"
	"peerd.dev/node/lab/figure"
	"peerd.dev/node/lab/stats"
)

func sample() figure.Figure {
	return figure.Figure{
		Title: "Title", Note: "Note.", Panels: []figure.Panel{{X: "rounds", Y: "regret", Lines: []figure.Line{
			{Name: "first", Points: []figure.Point{{X: 0, Y: stats.Interval{}}, {X: 100_000, Y: stats.Interval{Mean: 5, Low: 4, High: 6}}}},
			{Name: "one seed", Points: []figure.Point{{X: 0, Y: stats.Interval{Low: math.Inf(-1), High: math.Inf(1)}}, {X: 100_000, Y: stats.Interval{Mean: 7, Low: math.Inf(-1), High: math.Inf(1)}}}},
		}}},
	}
}

// panel returns a figure's panel and its plot.
func panel(t *testing.T, f *figure.Figure) (*figure.Panel, *plot.Plot) {
	t.Helper()
	p := require.Value(plotOf(&f.Panels[0], looksOf(f), across(f, &f.Panels[0])))(t)
	return &f.Panels[0], p
}

// drawn returns the SVG of a figure, which is the same bytes twice, and so is the PNG.
func drawn(t *testing.T, f *figure.Figure) string {
	t.Helper()
	var svg, pixels [2]bytes.Buffer
	for i := range 2 {
		require.NoError(t, write(f, &svg[i], &pixels[i]))
	}
	if !bytes.Equal(svg[0].Bytes(), svg[1].Bytes()) || !bytes.Equal(pixels[0].Bytes(), pixels[1].Bytes()) {
		t.Error("the same figure is other bytes")
	}
	if strings.Contains(svg[0].String(), "NaN") || strings.Contains(svg[0].String(), "Inf") {
		t.Errorf("%+v: the SVG has numbers that are none", f)
	}
	if _, err := png.Decode(&pixels[0]); err != nil {
		t.Error(err)
	}
	return svg[0].String()
}

// TestFiguresAreTheSameBytesAndSayWhatTheyShow: in all forms.
func TestFiguresAreTheSameBytesAndSayWhatTheyShow(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	for _, glyphs := range []bool{false, true} {
		for _, log := range []bool{false, true} {
			f := sample()
			p := &f.Panels[0]
			p.Glyphs, p.LogX, p.LogY = glyphs, log, log
			svg := drawn(t, &f)
			for _, word := range []string{"Title", "Note.", "rounds", "regret", "first", "one seed", "100\u00a0000", "Arial"} {
				if !strings.Contains(svg, word) {
					t.Errorf("glyphs %v, log %v: no %q in the SVG", glyphs, log, word)
				}
			}
		}
	}
}

func TestNothingToDrawIsAnError(t *testing.T) {
	f := figure.Figure{Panels: []figure.Panel{{LogY: true, Lines: []figure.Line{{Name: "zero", Points: []figure.Point{{X: 1, Y: stats.Interval{}}}}}}}}
	if err := write(&f, new(bytes.Buffer), new(bytes.Buffer)); err == nil {
		t.Error("a figure without points was drawn")
	}
}

func TestNumbersOnAxes(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1000: "1000", 20000: "20\u00a0000", -1234567: "-1\u00a0234\u00a0567", .001: "0.001", .30000000000000004: "0.3",
	} {
		if got := number(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
}

// TestLongNamesAndManyLinesHaveRoom: every word is in the SVG, within its height, and no
// line of text is wider than the figure.
func TestLongNamesAndManyLinesHaveRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	f := sample()
	f.Title = strings.Repeat("a title that goes on ", 10) + "and ends"
	p := &f.Panels[0]
	p.Lines = nil
	long := strings.Repeat("long ", 8) + strings.Repeat("x", 120) + "ε"
	for i := range 12 {
		p.Lines = append(p.Lines, figure.Line{Name: fmt.Sprintf("%s line-%d", long, i), Points: sample().Panels[0].Lines[0].Points})
	}
	var svg, pixels bytes.Buffer
	require.NoError(t, write(&f, &svg, &pixels))
	all, high := inside(t, svg.String())
	for _, want := range []string{"and ends", "line-0 ", "line-11 ", "xε"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q", want)
		}
	}
	if picture, err := png.Decode(&pixels); err != nil || math.Abs(float64(picture.Bounds().Dy())-high/72*resolution) > 1 {
		t.Errorf("the picture is %v, want the height of %v points: %v", picture.Bounds(), high, err)
	}
}

// inside returns the texts of an SVG and its height. It fails for a text that leaves the picture,
// or would leave it in a font that is 15 % wider than the intended one.
func inside(t *testing.T, svg string) (all string, high float64) {
	t.Helper()
	const wider, wide = 1.15, 518.4
	if _, after, ok := strings.Cut(svg, `viewBox="0 0 518.4 `); ok {
		high, _ = strconv.ParseFloat(after[:strings.IndexByte(after, '"')], 64)
	}
	for _, text := range regexp.MustCompile(`<text x="([0-9.-]+)" y="([0-9.-]+)"[^>]*font-size:([0-9.]+)px[^>]*>([^<]*)<`).FindAllStringSubmatch(svg, -1) {
		all += text[4] + " "
		x, _ := strconv.ParseFloat(text[1], 64)
		y, _ := strconv.ParseFloat(text[2], 64)
		size, _ := strconv.ParseFloat(text[3], 64)
		if end := x + wider*float64(style(vg.Length(size)).Width(html.UnescapeString(text[4]))); -y < 0 || -y > high || x < 0 || end > wide {
			t.Errorf("%q is at %v, %v to %v, outside of %v", text[4], x, -y, end, high)
		}
	}
	return all, high
}

// TestCaptionsStayInsideInAWiderFont draws the longest texts of all configurations in
// configs/figures, in a figure of one long line and in one of many.
func TestCaptionsStayInsideInAWiderFont(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	points := sample().Panels[0].Lines[0].Points
	for _, lines := range [][]figure.Line{
		{{Name: "a", Points: points}},
		{{Name: "ε = 1, calibrated, alone", Points: points}, {Name: "sites differ, average, ε = 0.1, complete graph, every exchange", Points: points}},
	} {
		f := figure.Figure{
			Title: "Three hospitals, diabetes records drawn with replacement, calibrated radius (paper 004, figure 2c)",
			Note: "Mean over 100 seeds with the 95 % interval. Simulated: noise comes from seeds, so nothing here is private. " +
				"Rewards are not clipped, so no ε holds: a daemon would refuse this world. ε = ∞ adds no noise: a daemon would refuse it.",
			Panels: []figure.Panel{{
				X:     strings.Repeat("spectral gap of the gossip matrix, 1 − λ₂ & ", 4),
				Y:     strings.Repeat("regret of a peer at the end, in rewards, ", 4),
				Lines: lines,
			}},
		}
		p := &f.Panels[0]
		for range 2 {
			var svg bytes.Buffer
			require.NoError(t, write(&f, &svg, new(bytes.Buffer)))
			all, _ := inside(t, svg.String())
			for _, text := range []string{f.Title, f.Note, p.X, p.Y, lines[len(lines)-1].Name} {
				for _, word := range strings.Fields(text) {
					if !strings.Contains(html.UnescapeString(all), word) {
						t.Errorf("no %q", word)
					}
				}
			}
			p.Glyphs, p.LogX = true, true
		}
	}
}

// TestLinesDifferWithoutColours: of 56 lines no two agree in dashes and glyph, of seven none in dashes or colour, and none
// has the dots of a bound.
func TestLinesDifferWithoutColours(t *testing.T) {
	both, patterns, colours := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for i := range 56 {
		k, bound := look{number: i}, look{i, true}
		both[fmt.Sprintf("%v %T", k.line().Dashes, k.glyph().Shape)] = true
		if i < len(palette) {
			patterns[fmt.Sprint(k.line().Dashes)], colours[fmt.Sprint(k.line().Color)] = true, true
		}
		patterns[fmt.Sprint(bound.line().Dashes)] = true
	}
	if len(both) != 56 || len(patterns) != len(palette)+56 || len(colours) != len(palette) {
		t.Errorf("%d pairs, %d patterns, %d colours", len(both), len(patterns), len(colours))
	}
}

// TestSingleRunsAreDrawn: each has a thin path, and the axis extends beyond all of them.
func TestSingleRunsAreDrawn(t *testing.T) {
	f := sample()
	p := &f.Panels[0]
	p.Lines = p.Lines[:1]
	at := func(x, y float64) figure.Point {
		return figure.Point{X: x, Y: stats.Interval{Mean: y, Low: y, High: y}}
	}
	high, zero := []figure.Point{at(0, 0), at(50_000, 5), at(100_000, 50)}, []figure.Point{at(50_000, 0), at(100_000, 0)}
	for _, log := range []bool{false, true} {
		p.LogY = log
		p.Lines[0].Runs = nil
		var without, with bytes.Buffer
		require.NoError(t, write(&f, &without, new(bytes.Buffer)))
		p.Lines[0].Runs = [][]figure.Point{high, zero, high, high}
		require.NoError(t, write(&f, &with, new(bytes.Buffer)))
		thin := "stroke-width:0.4"
		if a, b := strings.Count(without.String(), thin), strings.Count(with.String(), thin); a != 0 || b != 3 && b != 4 || (b == 4) == log {
			t.Errorf("log %v: %d thin paths without runs, %d with three, and one of 0", log, a, b)
		}
		if _, g := panel(t, &f); g.Y.Max < 50 {
			t.Errorf("the axis ends at %v", g.Y.Max)
		}
	}
}

// TestWhatALogarithmicAxisCannotShowIsNamed: a line that is 0 everywhere is drawn on the x axis
// if the y axis is linear.
func TestWhatALogarithmicAxisCannotShowIsNamed(t *testing.T) {
	f := figure.Figure{Note: "Note.", Panels: []figure.Panel{{X: "gap", Y: "regret", LogX: true, Glyphs: true, Lines: []figure.Line{
		{Name: "linked", Points: []figure.Point{{X: .1, Y: stats.Interval{Mean: 5, Low: 4, High: 6}}}},
		{Name: "alone", Points: []figure.Point{{X: 0, Y: stats.Interval{Mean: 5, Low: 4, High: 6}}}},
	}}}}
	var svg bytes.Buffer
	require.NoError(t, write(&f, &svg, new(bytes.Buffer)))
	if !strings.Contains(svg.String(), "missing from: alone.") {
		t.Error("a line went missing without a word")
	}
	zero := figure.Figure{Panels: []figure.Panel{{Lines: []figure.Line{{Name: "zero", Points: []figure.Point{{X: 1, Y: stats.Interval{}}, {X: 2, Y: stats.Interval{}}}}}}}}
	if _, g := panel(t, &zero); g.Y.Min != 0 || g.Y.Max != 1 {
		t.Errorf("the axis goes from %v to %v, want 0 to 1", g.Y.Min, g.Y.Max)
	}
}

// TestNarrowLogarithmicAxesHaveLabels.
func TestNarrowLogarithmicAxesHaveLabels(t *testing.T) {
	for _, ends := range [][2]float64{{.138, .25}, {1000, 1100}, {.3, .4}, {1, 10}, {.001, 1e6}} {
		labels := 0
		for _, tick := range (powers{}).Ticks(ends[0], ends[1]) {
			if tick.Label != "" && tick.Value >= ends[0] && tick.Value <= ends[1] {
				labels++
			}
		}
		if labels < 2 {
			t.Errorf("%v has %d labels", ends, labels)
		}
	}
}
