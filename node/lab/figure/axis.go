package figure

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

// behind makes room for numbers to the right of the last points.
func behind(a *plot.Axis, log bool) {
	const room = .06
	if log {
		a.Max *= math.Pow(a.Max/a.Min, room)
	} else {
		a.Max += room * (a.Max - a.Min)
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
	if high >= 1e5 {
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

// number writes x with its thousands separated.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if r := strconv.FormatFloat(x, 'g', 6, 64); len(r) < len(s) {
		if v, err := strconv.ParseFloat(r, 64); err == nil {
			s = strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	whole, part, fraction := strings.Cut(s, ".")
	sign := strings.TrimRight(whole, "0123456789")
	whole = strings.TrimPrefix(whole, sign)
	var b strings.Builder
	b.WriteString(sign)
	for i, c := range whole {
		if left := len(whole) - i; i > 0 && left%3 == 0 && len(whole) > 4 {
			b.WriteRune('\u00a0') // non-breaking
		}
		b.WriteRune(c)
	}
	if fraction {
		b.WriteString("." + part)
	}
	return b.String()
}
