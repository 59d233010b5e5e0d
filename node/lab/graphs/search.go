package graphs

import "peerd.dev/gossip/topology"

// A search walks a graph breadth first. It keeps its buffers, because a diameter
// takes one walk from every peer.
type search struct {
	g    *topology.Graph
	seen []bool
	line []int // the peers in the order in which they were seen, nearest first
}

func newSearch(g *topology.Graph) *search {
	return &search{g: g, seen: make([]bool, g.N()), line: make([]int, 0, g.N())}
}

// from walks from start and returns the hops to the farthest peer it reached,
// and how many peers it reached, start among them.
func (s *search) from(start int) (hops, reached int) {
	clear(s.seen)
	s.seen[start] = true
	s.line = append(s.line[:0], start)
	last := 1 // where the peers at this many hops end
	for k := 0; k < len(s.line); k++ {
		if k == last {
			hops++
			last = len(s.line)
		}
		for _, j := range s.g.Neighbours(s.line[k]) {
			if !s.seen[j] {
				s.seen[j] = true
				s.line = append(s.line, j)
			}
		}
		// Stopping as soon as all peers are seen skips nearly every edge of a
		// dense graph.
		if len(s.line) == len(s.seen) {
			break
		}
	}
	if len(s.line) > last {
		hops++
	}
	return hops, len(s.line)
}
