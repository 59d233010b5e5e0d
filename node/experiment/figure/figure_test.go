package figure

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"

	"peerd.dev/node/experiment"
)

func sample() Figure {
	return Figure{
		Title: "Title", Note: "Note.", X: "rounds", Y: "regret",
		Lines: []Line{
			{Name: "first", Points: []Point{{0, experiment.Interval{}}, {100_000, experiment.Interval{Mean: 5, Low: 4, High: 6}}}},
			{Name: "one seed", Points: []Point{{0, experiment.Interval{Low: math.Inf(-1), High: math.Inf(1)}}, {100_000, experiment.Interval{Mean: 7, Low: math.Inf(-1), High: math.Inf(1)}}}},
		},
	}
}

// TestFiguresAreTheSameBytesAndSayWhatTheyShow in all forms.
func TestFiguresAreTheSameBytesAndSayWhatTheyShow(t *testing.T) {
	for _, marks := range []bool{false, true} {
		for _, log := range []bool{false, true} {
			f := sample()
			f.Marks, f.LogX, f.LogY = marks, log, log
			var svg, pixels [2]bytes.Buffer
			for i := range 2 {
				if err := f.Write(&svg[i], &pixels[i]); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(svg[0].Bytes(), svg[1].Bytes()) || !bytes.Equal(pixels[0].Bytes(), pixels[1].Bytes()) {
				t.Error("the same figure is other bytes")
			}
			for _, word := range []string{"Title", "Note.", "rounds", "regret", "first", "one seed", "100\u00a0000", "Arial"} {
				if !strings.Contains(svg[0].String(), word) {
					t.Errorf("marks %v, log %v: no %q in the SVG", marks, log, word)
				}
			}
			if strings.Contains(svg[0].String(), "NaN") || strings.Contains(svg[0].String(), "Inf") {
				t.Errorf("marks %v, log %v: the SVG has numbers that are none", marks, log)
			}
			if _, err := png.Decode(&pixels[0]); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestNothingToDrawIsAnError(t *testing.T) {
	f := Figure{LogY: true, Lines: []Line{{Name: "zero", Points: []Point{{1, experiment.Interval{}}}}}}
	if err := f.Write(new(bytes.Buffer), new(bytes.Buffer)); err == nil {
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
