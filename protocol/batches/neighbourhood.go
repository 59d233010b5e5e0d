package batches

import (
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// Neighbourhood says whose releases a peer of protocol local adds up.
type Neighbourhood string

// The neighbourhoods. A peer is always in its own.
const (
	Ball   Neighbourhood = "ball"   // all peers within the number of links that releases travel
	Clique Neighbourhood = "clique" // the peers of the ball in the same clique of a cover
)

// balls returns, for every peer, the peers within a number of links, itself among them.
func balls(g [][]protocol.Peer, links uint64) [][]bool {
	all := make([][]bool, len(g))
	for p := range g {
		t := spread.NewWays(g, protocol.Peer(p))
		all[p] = make([]bool, len(g))
		for q, d := range t.Depth {
			all[p][q] = d >= 0 && uint64(d) <= links
		}
	}
	return all
}

// cliqueOf returns the members of a peer's clique in a greedy cover: each clique begins with the
// lowest peer that is in none and adds, in ascending order, every peer in none that is linked to
// all its members. All peers compute the same cover from the graph. Two peers count as linked if
// one is in the ball of the other.
func cliqueOf(self protocol.Peer, balls [][]bool) []bool {
	covered := make([]bool, len(balls))
	for first := range balls {
		if covered[first] {
			continue
		}
		in := make([]bool, len(balls))
		common := append([]bool(nil), balls[first]...) // linked to all members
		for p := first; p < len(balls); p++ {
			if covered[p] || !common[p] {
				continue
			}
			in[p], covered[p] = true, true
			for q := range common {
				common[q] = common[q] && balls[p][q]
			}
		}
		if in[self] {
			return in
		}
	}
	return nil // not reached: every peer is in a clique
}
