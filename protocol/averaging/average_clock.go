package averaging

import "peerd.dev/protocol"

// due returns a link to ask at the end of round t, or -1: one whose clock has struck, unless an
// answer is awaited, or one whose question has waited for patience rounds. The choice between links
// is random: if the longest due came first, one busy neighbour would delay all. After a busy answer
// a peer skips each round with probability 1/2: otherwise peers that ask each other in the same
// rounds would all stay busy.
func (a *average) due(t protocol.Round) int {
	if a.declined && a.c.Rand.IntN(2) == 0 {
		return -1
	}
	link, n := -1, 0
	for i := range a.links {
		l := &a.links[i]
		if l.peer < a.c.Self || l.open && !a.waited(i, t) || !l.open && (a.pendingLink >= 0 || t < l.next) {
			continue
		}
		if n++; n == 1 || a.c.Rand.IntN(n) == 0 {
			link = i
		}
	}
	return link
}

// waited reports whether the question to link i was sent patience rounds ago or earlier.
func (a *average) waited(i int, t protocol.Round) bool {
	return t >= a.links[i].sent+protocol.Round(a.p.Patience)
}
