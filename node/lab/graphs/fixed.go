package graphs

import (
	"math"
	"math/rand/v2"
)

// ring joins each peer to the next, and the last to the first.
func ring(s Spec, _ *rand.Rand) [][2]int {
	return append(path(s, nil), [2]int{0, s.N - 1})
}

// path joins each peer to the next.
func path(s Spec, _ *rand.Rand) [][2]int {
	var edges [][2]int
	for i := 1; i < s.N; i++ {
		edges = append(edges, [2]int{i - 1, i})
	}
	return edges
}

// star joins all other peers to peer 0.
func star(s Spec, _ *rand.Rand) [][2]int {
	var edges [][2]int
	for i := 1; i < s.N; i++ {
		edges = append(edges, [2]int{0, i})
	}
	return edges
}

// complete joins each pair of peers.
func complete(s Spec, _ *rand.Rand) [][2]int {
	edges := make([][2]int, 0, s.N*(s.N-1)/2)
	for i := range s.N {
		for j := i + 1; j < s.N; j++ {
			edges = append(edges, [2]int{i, j})
		}
	}
	return edges
}

// grid fills rows of s.Cols peers, of which the last may stay short, and joins each peer to the
// next in its row and to the one below.
func grid(s Spec, _ *rand.Rand) [][2]int {
	cols := s.Cols
	if cols == 0 {
		cols = int(math.Ceil(math.Sqrt(float64(s.N))))
	}
	var edges [][2]int
	for i := range s.N {
		if i+1 < s.N && (i+1)%cols != 0 {
			edges = append(edges, [2]int{i, i + 1})
		}
		if i+cols < s.N {
			edges = append(edges, [2]int{i, i + cols})
		}
	}
	return edges
}
