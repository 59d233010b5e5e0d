package hub

import "peerd.dev/protocol"

// Ways are the paths from every peer to one of them, the root. They follow from the published graph.
type Ways struct {
	Parent []protocol.Peer // next peer on the way of each; itself at the root and where there is no way
	Depth  []int           // number of links to the root; -1 where there is no way
}

// NewWays returns shortest paths to a root. Of several, it takes the one over peers with lower
// numbers.
func NewWays(g [][]protocol.Peer, root protocol.Peer) Ways {
	t := Ways{make([]protocol.Peer, len(g)), make([]int, len(g))}
	for i := range g {
		t.Parent[i], t.Depth[i] = protocol.Peer(i), -1
	}
	t.Depth[root] = 0
	for todo := []protocol.Peer{root}; len(todo) > 0; todo = todo[1:] {
		for _, n := range g[todo[0]] {
			if t.Depth[n] < 0 {
				t.Parent[n], t.Depth[n] = todo[0], t.Depth[todo[0]]+1
				todo = append(todo, n)
			}
		}
	}
	return t
}

// Reaches reports whether a peer has a way to the root.
func (t *Ways) Reaches(p protocol.Peer) bool { return t.Depth[p] >= 0 }

// Child reports whether parent is the next peer on the way from p.
func (t *Ways) Child(p, parent protocol.Peer) bool { return p != parent && t.Parent[p] == parent }

// Over reports whether the way from p begins at way or leads over it.
func (t *Ways) Over(p, way protocol.Peer) bool {
	for ; t.Parent[p] != p; p = t.Parent[p] {
		if p == way {
			return true
		}
	}
	return p == way
}
