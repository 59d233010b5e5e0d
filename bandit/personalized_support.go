package bandit

var _ Supported = (*Personalized)(nil)

// Support returns own rewards, and what other sites add to an estimate's precision as the number of own rewards
// without noise that would add as much, unless the arm is odd here. Distances are as the newest choice knew them, of sites that have released
// an arm which the own site has released, too.
func (u *Personalized) Support(b *Belief) (s Support) {
	u.take(b)
	arms := reported(b.Sites)
	common := make([]bool, u.near.Heard())
	for k, rows := range u.rows {
		a, own, borrowed, others := &u.arms[k], 0., 0., 0
		for i := range rows {
			r := &rows[i]
			share := a.trust() * r.weight / a.precision
			if r.site == u.self {
				own, share = b.Sites[k][i].Released, share+1-a.trust()
			} else {
				borrowed += a.trust() * r.weight * u.width[k]
				others++
			}
			s.Weigh(r.site, share, arms, b.Sites[k][i].Released)
			if r.site != u.self && r.site < len(common) && u.mine.Known(k) {
				common[r.site] = true
			}
		}
		s.Own, s.Borrowed, s.Sites = append(s.Own, own), append(s.Borrowed, borrowed), append(s.Sites, others)
	}
	for site, known := range common {
		if known {
			s.Alike = append(s.Alike, Distance{site, u.near.Expected(site)})
		}
	}
	return s
}
