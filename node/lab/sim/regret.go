package sim

import "peerd.dev/bandit"

// counts reports whether the regret of an honest peer with arms counts: of all except one that stops for ever.
func (r *run) counts(i int) bool { return i != r.stops || r.Faults.Resume > 0 }

// lose adds the regret of an honest peer's pull.
func (r *run) lose(i int, arm bandit.Arm) {
	gap := r.Worlds[i].Regret(arm)
	r.regret += gap
	if r.Means != nil {
		gap = r.best[i] - r.Means[i][arm]
	}
	r.own += gap
	r.owns[i] += gap
}

// point notes the regret after a number of rounds.
func (r *run) point(done uint64) {
	p := max(1, r.Points)
	if done*p/r.Rounds != (done-1)*p/r.Rounds {
		r.res.Points = append(r.res.Points, done)
		r.res.Regret = append(r.res.Regret, r.regret/r.honest)
		if r.Means != nil || r.Own {
			r.res.OwnCurve = append(r.res.OwnCurve, r.own/r.honest)
		}
	}
}

// judge notes the own regrets at the end.
func (r *run) judge() {
	if r.Means == nil && !r.Own {
		return
	}
	own := r.own / r.honest
	r.res.OwnRegret = &own
	for i, a := range r.agents {
		if !a.Idle() && r.liars[i] == nil && r.counts(i) {
			r.res.OwnRegrets = append(r.res.OwnRegrets, r.owns[i])
		}
	}
}
