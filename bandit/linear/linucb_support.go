package linear

import (
	"slices"

	"peerd.dev/bandit"
)

var _ bandit.Supported = (*LinUCB)(nil)

// Support returns the records that sites have released, which all arms share. Sums over sites count every record alike.
func (l *LinUCB) Support(b *bandit.Belief) (s bandit.Support) {
	if len(b.Sites) == 0 || len(b.Sites[0]) == 0 {
		return bandit.Support{}
	}
	own, borrowed, others := 0., 0., 0
	for i := range b.Sites[0] {
		x := &b.Sites[0][i]
		if x.Peer == l.self {
			own = x.N
			continue
		}
		borrowed += x.N
		others++
	}
	for i := range b.Sites[0] {
		if x := &b.Sites[0][i]; x.N > 0 {
			s.Weigh(x.Peer, x.N/(own+borrowed), 1, x.N)
		}
	}
	n := len(l.scores)
	s.Own, s.Borrowed, s.Sites = slices.Repeat([]float64{own}, n), slices.Repeat([]float64{borrowed}, n), slices.Repeat([]int{others}, n)
	return s
}
