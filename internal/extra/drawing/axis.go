package drawing

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// axis gives an axis its scale and readable labels.
func axis(a *plot.Axis, log bool) {
	a.Tick.Label.Font = style(9).Font
	a.Color, a.Tick.Color = ink, ink
	a.Tick.Marker = linear{}
	if log {
		a.Scale, a.Tick.Marker = plot.LogScale{}, powers{}
	}
}

// limits makes a linear axis begin at 0, and widens an axis with a single number.
func limits(a *plot.Axis, log bool) {
	switch {
	case log && a.Min == a.Max:
		a.Min, a.Max = a.Min/2, a.Max*2 // gonum subtracts 1 and panics below 0
	case !log:
		a.Min = 0
		if a.Max <= 0 {
			a.Max = 1
		}
	}
}

// linear writes ticks as 400 000 instead of 4e+05.
type linear struct{}

func (linear) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = number(ticks[i].Value)
		}
	}
	return ticks
}

// powers has a labelled tick for every power of ten and, if there are few, also for 2 and 5 times
// each. If these are fewer than two, it has a linear axis's ticks.
type powers struct{}

func (powers) Ticks(low, high float64) []plot.Tick {
	few := 2.5 // powers of ten
	if high >= 1e4 {
		few = 1.5 // long labels
	}
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	var ticks []plot.Tick
	labels := 0
	for e := from; e <= to; e++ {
		for d := 1.0; d < 10; d++ {
			t := plot.Tick{Value: d * math.Pow(10, e)}
			if t.Value < low || t.Value > high {
				continue
			}
			if d == 1 || (d == 2 || d == 5) && math.Log10(high/low) < few {
				t.Label = number(t.Value)
				labels++
			}
			ticks = append(ticks, t)
		}
	}
	if labels < 2 {
		return linear{}.Ticks(low, high)
	}
	return ticks
}

// number writes x, of seven digits at most, with its thousands separated.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 32)
	whole, _, _ := strings.Cut(s, ".")
	if at := len(whole) - 3; at > 1 {
		for ; at > 0 && s[at-1] != '-'; at -= 3 {
			s = s[:at] + "\u00a0" + s[at:] // non-breaking
		}
	}
	return s
}
