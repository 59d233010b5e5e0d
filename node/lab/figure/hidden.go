package figure

import (
	"math"

	"gonum.org/v1/plot"
)

// Two lines cannot be distinguished if they are closer than near, relative to the plot's height,
// at all except a share apart of their points.
const (
	near  = 0.01 // about the width of a line
	apart = 0.1
)

// hidden returns the lines that are under a later one, with its name.
func (p *Panel) hidden(g *plot.Plot) []string {
	var names []string
	for i, l := range p.Lines {
		for _, over := range p.Lines[i+1:] {
			if covers(g, p.visible(over), p.visible(l)) {
				names = append(names, l.Name+" (under "+over.Name+")")
				break
			}
		}
	}
	return names
}

// covers reports whether a line covers another, at the points that have equal X.
func covers(p *plot.Plot, over, under []Point) bool {
	shared, same := 0, 0
	k := 0
	for _, pt := range under {
		for k < len(over) && over[k].X < pt.X {
			k++
		}
		if k == len(over) || over[k].X != pt.X {
			continue
		}
		shared++
		if math.Abs(p.Y.Norm(over[k].Y.Mean)-p.Y.Norm(pt.Y.Mean)) < near {
			same++
		}
	}
	return shared > 1 && shared == len(under) && float64(same) >= (1-apart)*float64(shared)
}
