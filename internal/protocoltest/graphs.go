package protocoltest

import (
	"math/rand/v2"
	"slices"

	"peerd.dev/protocol"
)

// A Graph holds the neighbours of every peer, ascending.
type Graph = [][]protocol.Peer

// Links returns a graph of n peers; links calls link for each of its links. A link that is
// given twice counts once.
func Links(n int, links func(link func(a, b int))) Graph {
	g := make(Graph, n)
	links(func(a, b int) {
		if !slices.Contains(g[a], protocol.Peer(b)) {
			g[a] = append(g[a], protocol.Peer(b))
			g[b] = append(g[b], protocol.Peer(a))
		}
	})
	for i := range g {
		slices.Sort(g[i])
	}
	return g
}

// Path links n peers one behind the other.
func Path(n int) Graph {
	return Links(n, func(link func(a, b int)) {
		for i := range n - 1 {
			link(i, i+1)
		}
	})
}

// Ring links n ≥ 3 peers in a circle.
func Ring(n int) Graph {
	return Links(n, func(link func(a, b int)) {
		for i := range n {
			link(i, (i+1)%n)
		}
	})
}

// Star links peer 0 to all others.
func Star(n int) Graph {
	return Links(n, func(link func(a, b int)) {
		for i := 1; i < n; i++ {
			link(0, i)
		}
	})
}

// Complete links all n peers with each other.
func Complete(n int) Graph {
	return Links(n, func(link func(a, b int)) {
		for i := range n {
			for j := range i {
				link(i, j)
			}
		}
	})
}

// Random returns a random tree with up to extra more links: connected, and anything from a
// path to a dense graph.
func Random(n, extra int, rng *rand.Rand) Graph {
	return Links(n, func(link func(a, b int)) {
		for i := 1; i < n; i++ {
			link(i, rng.IntN(i))
		}
		for range extra {
			if a, b := rng.IntN(n), rng.IntN(n); a != b {
				link(a, b)
			}
		}
	})
}

// Distances returns the links between any two peers, by relaxing every way until none is
// shorter; a large number where there is no way.
func Distances(g Graph) [][]int {
	d := make([][]int, len(g))
	for i := range d {
		d[i] = slices.Repeat([]int{1 << 20}, len(g))
		d[i][i] = 0
		for _, n := range g[i] {
			d[i][n] = 1
		}
	}
	for k := range d {
		for i := range d {
			for j := range d {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	return d
}
