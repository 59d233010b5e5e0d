package epochs

import (
	"slices"

	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/hub"
)

// newForest returns the shortest ways to a server over sinks. Without the server, the peers form
// components. The sink of a component is the peer with the least eccentricity among its peers with
// a link to the server (Li and Song, Algorithm 4), the lowest number first. Ways lead to the sink,
// and from there to the server. Only absent peers, and peers that depend on them, have ways over
// other links.
func newForest(g [][]protocol.Peer, server protocol.Peer, absent []bool) hub.Ways {
	within := make([][]protocol.Peer, len(g)) // links of components
	for p, all := range g {
		for _, n := range all {
			if protocol.Peer(p) != server && n != server && !absent[p] && !absent[n] {
				within[p] = append(within[p], n)
			}
		}
	}
	t := hub.Ways{Parent: make([]protocol.Peer, len(g)), Depth: slices.Repeat([]int{-1}, len(g))}
	least := slices.Repeat([]int{len(g)}, len(g)) // eccentricity of a peer's sink
	for i := range g {
		t.Parent[i] = protocol.Peer(i)
	}
	t.Depth[server] = 0
	for _, sink := range g[server] {
		if absent[sink] {
			continue
		}
		way := hub.NewWays(within, sink)
		far := slices.Max(way.Depth)
		for p := range g {
			if way.Depth[p] >= 0 && far < least[p] { // all of a component agree
				least[p], t.Parent[p], t.Depth[p] = far, way.Parent[p], way.Depth[p]+1
			}
		}
		if least[sink] == far && t.Parent[sink] == sink {
			t.Parent[sink] = server
		}
	}
	attach(&t, g)
	return t
}

// attach gives peers without a way to the root the shortest way to a peer that has one.
func attach(t *hub.Ways, g [][]protocol.Peer) {
	for depth := 0; depth < len(g) && slices.Contains(t.Depth, -1); depth++ {
		for p := range g {
			if t.Depth[p] != depth {
				continue
			}
			for _, n := range g[p] {
				if !t.Reaches(n) {
					t.Parent[n], t.Depth[n] = protocol.Peer(p), depth+1
				}
			}
		}
	}
}

// diameter returns the greatest distance, in links, of two connected peers.
func diameter(g [][]protocol.Peer) (most int) {
	for root := range g {
		t := hub.NewWays(g, protocol.Peer(root))
		most = max(most, slices.Max(t.Depth))
	}
	return most
}
