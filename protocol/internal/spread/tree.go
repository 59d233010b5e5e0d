package spread

import (
	"slices"

	"peerd.dev/protocol"
)

// A Tree says which way a message goes from every peer to one of them, along a shortest path.
// It follows from the published graph.
type Tree struct {
	Parent []protocol.Peer // of each peer; its own number at the root and where there is no way to it
	Depth  []int           // links to the root; -1 where there is no way to it
}

// NewTree returns the shortest paths to a root. Of several, the one over peers with lower numbers
// is taken.
func NewTree(g [][]protocol.Peer, root protocol.Peer) Tree {
	t := Tree{make([]protocol.Peer, len(g)), make([]int, len(g))}
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

// Reaches reports whether there is a way from a peer to the root.
func (t *Tree) Reaches(p protocol.Peer) bool { return t.Depth[p] >= 0 }

// Child reports whether the way from a peer leads over another one next.
func (t *Tree) Child(p, parent protocol.Peer) bool { return p != parent && t.Parent[p] == parent }

// Over reports whether the way from a peer leads over another one, or begins there.
func (t *Tree) Over(p, way protocol.Peer) bool {
	for ; t.Parent[p] != p; p = t.Parent[p] {
		if p == way {
			return true
		}
	}
	return p == way
}

// Diameter returns the greatest distance of two peers that are connected.
func Diameter(g [][]protocol.Peer) (most int) {
	for root := range g {
		t := NewTree(g, protocol.Peer(root))
		most = max(most, slices.Max(t.Depth))
	}
	return most
}

// Component returns the peers that there is a way to, ascending, self included.
func Component(g [][]protocol.Peer, self protocol.Peer) (reached []protocol.Peer) {
	t := NewTree(g, self)
	for p := range protocol.Peer(len(g)) {
		if t.Reaches(p) {
			reached = append(reached, p)
		}
	}
	return reached
}
