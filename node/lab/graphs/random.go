package graphs

import (
	"math"
	"math/rand/v2"
)

// gnp joins each pair of peers with probability s.P (Gilbert, 1959). It draws how many pairs it
// skips until the next edge, so its time and memory grow with the edges, not with the pairs. See
// Batagelj and Brandes, "Efficient generation of large random networks", Physical Review E 71,
// 2005, algorithm 1. gonum's Gnp draws the same edges from the same numbers, into maps that take
// ten times the memory.
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
