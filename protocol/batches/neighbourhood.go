package batches

import (
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// Neighbourhood names whose releases a peer of protocol local adds up.
type Neighbourhood string

// The neighbourhoods. A peer is in its own in any case.
const (
	Ball   Neighbourhood = "ball"   // all peers at most as many links away as releases travel
	Clique Neighbourhood = "clique" // those of them that are in the same clique of a cover
)

// balls returns, for every peer, which peers are at most a number of links away, itself among them.
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

// cliqueOf returns the members of a peer's clique in a greedy cover: each clique begins with
// the peer of the lowest number that is in none, and takes in, by ascending number, every peer in
// none that is linked to all its members. Whoever knows the graph computes the same cover. Two
// peers are linked here if the one is in the ball of the other.
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
