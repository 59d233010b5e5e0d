// Package topology has graphs, which say which peers are linked. Package node/lab/graphs draws and reads them.
//
// Peers are the ints 0 … N−1. Edges come sorted, the lower end first.
package topology

import (
	"fmt"
	"slices"
)

// A Graph is simple and undirected: no loops, no double edges. It does not
// change once it is made, so it may be shared.
type Graph struct {
	first []int // N+1 offsets: the neighbours of i are to[first[i]:first[i+1]]
	to    []int // each edge twice, ascending within a peer
}

// NewGraph returns the graph of n peers with the given edges, which may come in
// any order and orientation. It refuses n < 1, a loop, an edge given twice in
// either orientation, and an end outside 0 … n−1.
func NewGraph(n int, edges [][2]int) (*Graph, error) {
	if n < 1 {
		return nil, fmt.Errorf("topology: n is %d, must be at least 1", n)
	}
	g := &Graph{first: make([]int, n+1), to: make([]int, 2*len(edges))}
	for _, e := range edges {
		if min(e[0], e[1]) < 0 || max(e[0], e[1]) >= n {
			return nil, fmt.Errorf("topology: edge %d-%d: peers are 0..%d", e[0], e[1], n-1)
		}
		if e[0] == e[1] {
			return nil, fmt.Errorf("topology: edge %d-%d: a peer cannot be its own neighbour", e[0], e[1])
		}
		g.first[e[0]+1]++
		g.first[e[1]+1]++
	}
	for i := range n {
		g.first[i+1] += g.first[i]
	}
	next := slices.Clone(g.first)
	for _, e := range edges {
		g.to[next[e[0]]], g.to[next[e[1]]] = e[1], e[0]
		next[e[0]]++
		next[e[1]]++
	}
	for i := range n {
		at := g.Neighbours(i)
		slices.Sort(at)
		for k := 1; k < len(at); k++ {
			if at[k] == at[k-1] {
				return nil, fmt.Errorf("topology: edge %d-%d: given twice", i, at[k])
			}
		}
	}
	return g, nil
}

// N returns the number of peers, at least 1.
func (g *Graph) N() int { return len(g.first) - 1 }

// Edges returns all edges sorted, the lower end first. The slice is the caller's.
func (g *Graph) Edges() [][2]int {
	edges := make([][2]int, 0, g.Size())
	for i := range g.N() {
		for _, j := range g.Neighbours(i) {
			if i < j {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	return edges
}

// Neighbours returns the peers that share an edge with i, ascending. The slice
// is the graph's and must not be changed.
func (g *Graph) Neighbours(i int) []int { return g.to[g.first[i]:g.first[i+1]] }

// Degree returns the number of neighbours of i.
func (g *Graph) Degree(i int) int { return g.first[i+1] - g.first[i] }

// Connected reports whether every peer can be reached from every other.
func (g *Graph) Connected() bool { return g.Unreachable() < 0 }

// Unreachable returns the first peer that cannot be reached from peer 0, or -1.
func (g *Graph) Unreachable() int {
	seen, line := make([]bool, g.N()), []int{0}
	seen[0] = true
	for len(line) > 0 {
		i := line[len(line)-1]
		line = line[:len(line)-1]
		for _, j := range g.Neighbours(i) {
			if !seen[j] {
				seen[j] = true
				line = append(line, j)
			}
		}
	}
	return slices.Index(seen, false)
}

// String returns the size of the graph, such as "10 peers, 15 edges".
func (g *Graph) String() string { return fmt.Sprintf("%d peers, %d edges", g.N(), g.Size()) }

// Size returns the number of edges.
func (g *Graph) Size() int { return len(g.to) / 2 }
