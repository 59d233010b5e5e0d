package batches

import (
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/hub"
)

// Balls returns, for every peer, the peers within a number of links, itself among them.
func Balls(g [][]protocol.Peer, links uint64) [][]bool {
	all := make([][]bool, len(g))
	for p := range g {
		t := hub.NewWays(g, protocol.Peer(p))
		all[p] = make([]bool, len(g))
		for q, d := range t.Depth {
			all[p][q] = d >= 0 && uint64(d) <= links
		}
	}
	return all
}
