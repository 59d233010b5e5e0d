package sim

import (
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/protocol"
)

// counts reports whether the regret of an honest peer with arms counts: of all except one that stops for ever.
func (r *run) counts(i int) bool { return i != r.stops || r.Faults.Resume > 0 }

// lose adds the regret of an honest peer's pull in round t.
func (r *run) lose(t protocol.Round, i int, arm bandit.Arm) {
	gap := r.Worlds[i].Regret(arm)
	r.regret += gap
	switch {
	case r.OwnGap != nil:
		gap = r.OwnGap(r.sites[i].Number, arm, uint64(t))
	case r.Means != nil:
		gap = r.best[i] - r.Means[i][arm]
	}
	r.own += gap
	s := &r.sites[i]
	s.Regret += gap
	s.Decisions++
	if 2*uint64(t) >= r.Rounds {
		s.Half.add(gap)
	}
	if 4*uint64(t) >= 3*r.Rounds {
		s.Quarter.add(gap)
	}
}

// judges reports whether there is a regret against the best arm of each site.
func (r *run) judges() bool { return r.Means != nil || r.OwnGap != nil || r.Own }

// point notes the regret after a number of rounds.
func (r *run) point(done uint64) {
	p := max(1, r.Points)
	if done*p/r.Rounds != (done-1)*p/r.Rounds {
		r.res.Points = append(r.res.Points, done)
		r.res.Regret = append(r.res.Regret, r.regret/r.honest)
		if r.judges() {
			r.res.OwnCurve = append(r.res.OwnCurve, r.own/r.honest)
		}
	}
}

// judge notes the own regrets at the end.
func (r *run) judge() {
	if !r.judges() {
		return
	}
	own := r.own / r.honest
	r.res.OwnRegret = &own
	for i, a := range r.agents {
		if a.Idle() || r.liars[i] != nil || !r.counts(i) {
			continue
		}
		s := r.sites[i]
		if r.OwnGap == nil && r.Means != nil {
			means := slices.Sorted(slices.Values(r.Means[i]))
			s.Gap = means[len(means)-1] - means[max(0, len(means)-2)]
		}
		r.res.Sites = append(r.res.Sites, s)
	}
}
