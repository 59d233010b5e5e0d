package protocol

import "slices"

// newForest returns the shortest ways to a server over sinks. The peers without the server fall into
// components; the sink of each is the one of least eccentricity of those that are linked to the
// server (Li and Song, Algorithm 4), and of several the one with the lowest number. Ways lead to
// the sink, and from there to the server. Only peers that are absent, and those that cannot do
// without them, have ways over any links.
func newForest(g [][]Peer, server Peer, absent []bool) tree {
	within := make([][]Peer, len(g)) // links of components
	for p, all := range g {
		for _, n := range all {
			if Peer(p) != server && n != server && !absent[p] && !absent[n] {
				within[p] = append(within[p], n)
			}
		}
	}
	t := tree{make([]Peer, len(g)), slices.Repeat([]int{-1}, len(g))}
	least := slices.Repeat([]int{len(g)}, len(g)) // eccentricity of the sink that a peer has
	for i := range g {
		t.parent[i] = Peer(i)
	}
	t.depth[server] = 0
	for _, sink := range g[server] {
		if absent[sink] {
			continue
		}
		way := newTree(within, sink)
		far := slices.Max(way.depth)
		for p := range g {
			if way.depth[p] >= 0 && far < least[p] { // all of a component agree
				least[p], t.parent[p], t.depth[p] = far, way.parent[p], way.depth[p]+1
			}
		}
		if least[sink] == far && t.parent[sink] == sink {
			t.parent[sink] = server
		}
	}
	t.attach(g)
	return t
}

// attach gives peers that have no way to the root the shortest one to a peer that has.
func (t *tree) attach(g [][]Peer) {
	for depth := 0; depth < len(g) && slices.Contains(t.depth, -1); depth++ {
		for p := range g {
			if t.depth[p] != depth {
				continue
			}
			for _, n := range g[p] {
				if !t.reaches(n) {
					t.parent[n], t.depth[n] = Peer(p), depth+1
				}
			}
		}
	}
}
