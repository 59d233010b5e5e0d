package bandit

import (
	"math"

	"peerd.dev/bandit/belief"
)

// Drift reports whether the mean of an arm at a peer's own site has changed, as its own released rewards show it. If no mean
// changes, the probability that it ever reports one is at most the miss of its calls. It wants what [Best] wants, and
// knows what was released since it was made. The zero value is ready. See docs/proofs/best.md.
type Drift struct {
	arms []marks
}

// marks are what was released of an arm when its rewards were first as many as each power of 2.
type marks struct {
	at      []mark
	seen    float64 // released rewards at the newest call
	changed bool
}

type mark struct {
	j    int // the power
	site belief.Site
}

// Watch returns the arms whose means have changed, ascending. It is called after every release; arms of which nothing is new
// take no time.
func (d *Drift) Watch(b *Belief, self int, miss float64) (changed []Arm) {
	for len(d.arms) < len(b.Sites) {
		d.arms = append(d.arms, marks{})
	}
	for k := range b.Sites {
		m := &d.arms[k]
		if s := siteOf(b, k, self); s != nil && s.Released > m.seen {
			m.changed = m.watch(s, float64(len(b.Sites))/miss)
		}
		if m.changed {
			changed = append(changed, Arm(k))
		}
	}
	return changed
}

// watch compares, for each mark, the mean before it with that after it. There are four events for each mark, which
// share the level with weights 1/((j+1)(j+2)), whose sum is 1.
func (m *marks) watch(s *belief.Site, odds float64) (changed bool) {
	for _, a := range m.at {
		level := math.Log(4 * odds * float64((a.j+1)*(a.j+2)))
		since := between(&a.site, s)
		changed = changed || disjoint(&a.site, &since, level)
	}
	if j := math.Ilogb(s.Released); m.seen == 0 || j > math.Ilogb(m.seen) {
		m.at = append(m.at, mark{j, *s})
	}
	m.seen = s.Released
	return changed
}

// disjoint reports whether the bounds of two means do not meet.
func disjoint(x, y *belief.Site, level float64) bool {
	return 1-above(1-x.Mean, x, level) > above(y.Mean, y, level) || 1-above(1-y.Mean, y, level) > above(x.Mean, x, level)
}

// between returns what was released between two moments. The greatest noise of both is kept, which only widens bounds.
func between(before, s *belief.Site) belief.Site {
	n := s.Released - before.Released
	sum := func(of func(s *belief.Site) float64) float64 { return of(s) - of(before) }
	return belief.Site{
		Peer: s.Peer, Released: n,
		Mean:         sum(func(s *belief.Site) float64 { return s.Mean * s.Released }) / n,
		LaplaceMax:   s.LaplaceMax * s.Released / n,
		LaplaceSumSq: max(0, sum(func(s *belief.Site) float64 { return s.LaplaceSumSq * s.Released * s.Released })) / (n * n),
		GaussVar:     max(0, sum(func(s *belief.Site) float64 { return s.GaussVar * s.Released * s.Released })) / (n * n),
	}
}
