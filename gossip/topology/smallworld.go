package topology

import "math/rand/v2"

// smallworld sets the peers in a circle and joins each to the s.Degree nearest. Then it moves
// the far end of each edge, with probability s.P, to a peer drawn uniformly from those not
// joined to its near end (Watts and Strogatz, Nature 393, 1998).
//
// gonum's SmallWorldsBB cannot be used: in v0.17.0 it numbers the lattice's edges so that, at P
// near 0, nearly all of them end at Degree/2 hubs.
func smallworld(s Spec, rng *rand.Rand) [][2]int {
	edges := circulant(s.N, s.Degree)
	joined := newEdgeSet(edges)
	degree := make([]int, s.N)
	for i := range degree {
		degree[i] = s.Degree
	}
	for k, e := range edges {
		near, far := e[0], e[1]
		if rng.Float64() >= s.P || degree[near] == s.N-1 {
			continue
		}
		fresh := [2]int{near, rng.IntN(s.N)}
		for fresh[1] == near || joined.has(fresh) {
			fresh[1] = rng.IntN(s.N)
		}
		joined.replace([][2]int{e}, [][2]int{fresh})
		degree[far]--
		degree[fresh[1]]++
		edges[k] = fresh
	}
	return edges
}
