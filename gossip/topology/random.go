package topology

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/graph/graphs/gen"
	"gonum.org/v1/gonum/graph/simple"
)

// gnp joins each pair of peers with probability s.P (Gilbert, 1959). It draws how many pairs it
// skips until the next edge, so its time and memory grow with the edges, not with the pairs. This
// is algorithm 1 of Batagelj and Brandes, "Efficient generation of large random networks",
// Physical Review E 71, 2005. gonum's Gnp draws the same edges from the same numbers, into maps
// that take ten times the memory.
func gnp(s Spec, rng *rand.Rand) [][2]int {
	var edges [][2]int
	skip := math.Log(1 - s.P)
	for high, low := 1, -1; high < s.N; {
		low += 1 + int(math.Log(1-rng.Float64())/skip)
		for low >= high && high < s.N {
			low -= high
			high++
		}
		if high < s.N {
			edges = append(edges, [2]int{low, high})
		}
	}
	return edges
}

// scalefree joins each new peer to s.Degree of those before it, drawn without
// replacement in proportion to their degrees (Barabási and Albert, Science 286,
// 1999). The first s.Degree peers start without edges.
func scalefree(s Spec, rng *rand.Rand) [][2]int {
	g := simple.NewUndirectedGraph()
	return collect(g, gen.PreferentialAttachment(g, s.N, s.Degree, rng))
}

// clusters cuts the peers into s.Clusters blocks of consecutive numbers, whose sizes differ by at
// most 1. Within a block each pair is joined with probability s.P. The blocks form a circle, with
// one edge between random members of neighbouring blocks.
func clusters(s Spec, rng *rand.Rand) [][2]int {
	start := func(c int) int { return c * s.N / s.Clusters }
	member := func(c int) int { return start(c) + rng.IntN(start(c+1)-start(c)) }
	var edges [][2]int
	for c := range s.Clusters {
		for _, e := range gnp(Spec{N: start(c+1) - start(c), P: s.P}, rng) {
			edges = append(edges, [2]int{start(c) + e[0], start(c) + e[1]})
		}
	}
	for c := 1; c < s.Clusters; c++ {
		edges = append(edges, [2]int{member(c - 1), member(c)})
	}
	if s.Clusters > 2 {
		edges = append(edges, [2]int{member(s.Clusters - 1), member(0)})
	}
	return edges
}

// collect returns the edges that a generator of gonum has put in g, in the order of a map:
// NewGraph sorts them. An error of the generator means that Validate has accepted a wrong
// parameter, which is a bug in this package.
func collect(g *simple.UndirectedGraph, err error) [][2]int {
	if err != nil {
		panic(fmt.Sprintf("topology: %v", err))
	}
	var edges [][2]int
	for it := g.Edges(); it.Next(); {
		e := it.Edge()
		edges = append(edges, [2]int{int(e.From().ID()), int(e.To().ID())})
	}
	return edges
}
