package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"peerd.dev/node/api"
)

// A bar shows an estimate with its interval on the range of rewards, in percent of the width.
type bar struct{ Low, Wide, Mean string }

func newBar(least, most, low, mean, high float64) *bar {
	part := func(x float64) float64 { return 100 * min(1, max(0, (x-least)/(most-least))) }
	return &bar{fmt.Sprintf("%.1f%%", part(low)), fmt.Sprintf("%.1f%%", part(high)-part(low)), fmt.Sprintf("%.1f%%", part(mean))}
}

// A graph shows places in a circle, the first at the top.
type graph struct {
	Dots  []dot
	Lines []line
}

type dot struct {
	X, Y, TextY string
	Name        string
	Self, Up    bool
	Standing    string
}

type line struct {
	X1, Y1, X2, Y2 string
	Own, Up        bool // a link of this peer, and whether it works
}

// The size of a graph, and how much of a name it has room for.
const (
	graphSize = 400
	radius    = 150
	nameRunes = 14
)

func newGraph(n *api.Network, self uint32, peers []api.Peer) *graph {
	up := make(map[uint32]bool)
	for _, p := range peers {
		up[p.Peer] = p.State == "up"
	}
	at := func(i uint32, far float64) (x, y float64) {
		sin, cos := math.Sincos(2*math.Pi*float64(i)/float64(len(n.Places)) - math.Pi/2)
		return graphSize/2 + far*cos, graphSize/2 + far*sin
	}
	g := new(graph)
	for _, l := range n.Links {
		x1, y1 := at(l[0], radius)
		x2, y2 := at(l[1], radius)
		own := l[0] == self || l[1] == self
		g.Lines = append(g.Lines, line{pixel(x1), pixel(y1), pixel(x2), pixel(y2), own, own && up[l[0]+l[1]-self]})
	}
	for _, p := range n.Places {
		x, y := at(p.Peer, radius)
		name := p.Name
		if r := []rune(name); len(r) > nameRunes {
			name = strings.TrimSpace(string(r[:nameRunes-1])) + "…"
		}
		below := y + 24
		if y < graphSize/2 {
			below = y - 14
		}
		g.Dots = append(g.Dots, dot{pixel(x), pixel(y), pixel(below), name, p.Peer == self, up[p.Peer], p.Standing})
	}
	return g
}

func pixel(x float64) string { return fmt.Sprintf("%.1f", x) }

// A chart shows series as lines over time or rounds, which end with their number in the table below.
type chart struct {
	Title              string
	Most               string // at the top
	Ticks              []dot  // at the axis, from 0
	First, Middle, Now string // moments
	Lines              []curve
}

// A curve is a line of a chart, and its row in the table.
type curve struct {
	Number             int // from 1; it also says how the line is drawn
	Name               string
	Plain              bool // the name is the page's own, not one of an action
	Path               string
	X, Y               string // of the number
	First, Middle, Now string
}

// A series is what is drawn as a line: a number of each sample, or NaN.
type series struct {
	name  string
	plain bool
	value func(i int) float64
}

// The size of a chart in its own units, and how many lines and how many points of a line it has at most.
const (
	chartTop, chartBottom, chartLeft, chartRight = 18., 148., 48., 340.
	chartMark                                    = 13. // height of a number
	mostLines                                    = 7
	mostPoints                                   = 120
)

// newChart draws series of samples at some moments; it returns nil if nothing in them is greater than 0.
func newChart(at []int64, title string, moment func(at int64) string, write func(float64) string, all []series) *chart {
	last := len(at) - 1
	if last < 1 {
		return nil
	}
	var drawn []int
	for i := last; i > 0; i -= last/mostPoints + 1 {
		drawn = append(drawn, i)
	}
	drawn = append(drawn, 0)
	slices.Reverse(drawn)
	first, middle, most := drawn[0], drawn[len(drawn)/2], 0.
	values := make([][]float64, len(all)) // of what is drawn
	for k := range all {
		for _, i := range drawn {
			x := all[k].value(i)
			values[k] = append(values[k], x)
			if x > most { // a gap is not
				most = x
			}
		}
	}
	if most == 0 {
		return nil
	}
	c := &chart{Title: title, Most: write(most), First: moment(at[first]), Middle: moment(at[middle]), Now: moment(at[last])}
	by := math.Pow(10, math.Floor(math.Log10(most))) // two to four ticks are above 0
	if most < 2*by {
		by /= 2
	} else if most >= 5*by {
		by *= 2
	}
	for i := 0.; i*by <= most; i++ {
		y := chartBottom - (chartBottom-chartTop)*i*by/most
		c.Ticks = append(c.Ticks, dot{Y: pixel(y), TextY: pixel(y + chartMark/3), Name: strings.TrimSuffix(write(i*by), ".0")})
	}
	height := make([]float64, len(all)) // of the end of each line
	for k, s := range all {
		known := func(x float64) string {
			if math.IsNaN(x) {
				return "unknown"
			}
			return write(x)
		}
		l := curve{Number: k + 1, Name: s.name, Plain: s.plain, First: known(values[k][0]), Middle: known(values[k][len(drawn)/2]), Now: known(values[k][len(drawn)-1])}
		var path strings.Builder
		height[k] = chartBottom
		pen := "M"
		for n, i := range drawn {
			y := values[k][n]
			if math.IsNaN(y) {
				pen = "M"
				continue
			}
			x := chartLeft + (chartRight-chartLeft)*float64(at[i]-at[first])/float64(at[last]-at[first])
			height[k] = chartBottom - (chartBottom-chartTop)*max(0, y)/most
			_, _ = fmt.Fprintf(&path, "%s%.0f %.1f", pen, x, height[k])
			if pen = "L"; n == len(drawn)-1 || math.IsNaN(values[k][n+1]) {
				path.WriteString("h.1") // so that a single moment is a dot
			}
			l.X = fmt.Sprintf("%.0f", x+6)
		}
		l.Path = path.String()
		c.Lines = append(c.Lines, l)
	}
	for k, y := range apart(height) {
		c.Lines[k].Y = fmt.Sprintf("%.1f", y+chartMark/3)
	}
	return c
}

// apart moves heights of numbers so that no two overlap and none is below the chart.
func apart(heights []float64) []float64 {
	order := make([]int, len(heights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(heights[i], heights[j]) })
	moved := slices.Clone(heights)
	for n := 1; n < len(order); n++ {
		moved[order[n]] = max(moved[order[n]], moved[order[n-1]]+chartMark)
	}
	limit := chartBottom
	for _, i := range slices.Backward(order) {
		moved[i] = min(moved[i], limit)
		limit = moved[i] - chartMark
	}
	return moved
}
