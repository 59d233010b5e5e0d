package linear

import (
	"slices"

	"peerd.dev/bandit"
)

var _ bandit.Supported = (*PersonalizedLinear)(nil)

// Support returns own records, which all arms share, and the records of others times the part of their precision
// that counts, times the probability that the site is not odd.
func (u *PersonalizedLinear) Support(b *bandit.Belief) (s bandit.Support) {
	u.take(b)
	own, borrowed, others := 0., 0., 0
	counts := make([]float64, len(u.sites))
	for p := range u.sites {
		switch r := &u.sites[p]; {
		case r.n == 0:
		case p == u.self:
			own, counts[p] = r.n, r.n
		default:
			counts[p] = (1 - u.odd) * r.n * r.likelihood.Share(func(precision float64) float64 { return u.near.Share(p, precision) })
			borrowed += counts[p]
			others++
			if p < u.near.Heard() {
				s.Alike = append(s.Alike, bandit.Distance{Peer: p, Mean: u.near.Expected(p)})
			}
		}
	}
	for p, count := range counts {
		if count > 0 {
			s.Weigh(p, count/(own+borrowed), 1, u.sites[p].n)
		}
	}
	n := len(u.scores)
	s.Own, s.Borrowed, s.Sites = slices.Repeat([]float64{own}, n), slices.Repeat([]float64{borrowed}, n), slices.Repeat([]int{others}, n)
	return s
}
