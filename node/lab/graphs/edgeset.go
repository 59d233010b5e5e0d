package graphs

// An edgeSet answers whether two peers are joined. It is never ranged over.
type edgeSet map[[2]int]bool

func newEdgeSet(edges [][2]int) edgeSet {
	s := make(edgeSet, len(edges))
	for _, e := range edges {
		s[ordered(e)] = true
	}
	return s
}

func (s edgeSet) has(e [2]int) bool { return s[ordered(e)] }

// replace removes each edge of old and then adds each of fresh.
func (s edgeSet) replace(old, fresh [][2]int) {
	for _, e := range old {
		delete(s, ordered(e))
	}
	for _, e := range fresh {
		s[ordered(e)] = true
	}
}

// ordered returns e with its lower end first.
func ordered(e [2]int) [2]int { return [2]int{min(e[0], e[1]), max(e[0], e[1])} }
