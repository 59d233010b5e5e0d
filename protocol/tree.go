package protocol

import "slices"

// A tree says which way a message goes from every peer to one of them, along a shortest path.
// It follows from the published graph.
type tree struct {
	parent []Peer // of each peer; its own number at the root and where there is no way to it
	depth  []int  // links to the root; -1 where there is no way to it
}

// newTree returns the shortest paths to a root. Of several, the one over peers with lower numbers
// is taken.
func newTree(g [][]Peer, root Peer) tree {
	t := tree{make([]Peer, len(g)), make([]int, len(g))}
	for i := range g {
		t.parent[i], t.depth[i] = Peer(i), -1
	}
	t.depth[root] = 0
	for todo := []Peer{root}; len(todo) > 0; todo = todo[1:] {
		for _, n := range g[todo[0]] {
			if t.depth[n] < 0 {
				t.parent[n], t.depth[n] = todo[0], t.depth[todo[0]]+1
				todo = append(todo, n)
			}
		}
	}
	return t
}

// reaches reports whether there is a way from a peer to the root.
func (t *tree) reaches(p Peer) bool { return t.depth[p] >= 0 }

// child reports whether the way from a peer leads over another one next.
func (t *tree) child(p, parent Peer) bool { return p != parent && t.parent[p] == parent }

// over reports whether the way from a peer leads over another one, or begins there.
func (t *tree) over(p, way Peer) bool {
	for ; t.parent[p] != p; p = t.parent[p] {
		if p == way {
			return true
		}
	}
	return p == way
}

// diameter returns the greatest distance of two peers that are connected.
func diameter(g [][]Peer) (most int) {
	for root := range g {
		t := newTree(g, Peer(root))
		most = max(most, slices.Max(t.depth))
	}
	return most
}

// component returns the peers that there is a way to, ascending, self included.
func component(g [][]Peer, self Peer) (reached []Peer) {
	t := newTree(g, self)
	for p := range Peer(len(g)) {
		if t.reaches(p) {
			reached = append(reached, p)
		}
	}
	return reached
}
