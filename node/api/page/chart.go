package page

import (
	"fmt"
	"math"
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
	pixel := func(x float64) string { return fmt.Sprintf("%.1f", x) }
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
