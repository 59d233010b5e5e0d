package averaging

import "peerd.dev/dp"

// Until a peer has entered an arm, its own pulls are in nobody's estimate: it takes in
// what others know and adds nothing. A late joiner's first pulls would bring their noise
// into what rests on thousands.

// maxPullRatio is up to how many times one's own pulls others may have who are not ahead.
const maxPullRatio = 4

// joinStdDev is the standard deviation of an own mean, in rewards, that is small beside what
// tells arms apart: with it a site takes part however far the others are ahead, so that one
// with little traffic counts too.
const joinStdDev = 1. / 20

// join makes the peer take part in averaging arm k if it is not far behind some other's
// pulls of it, or sure of its own mean. Whose pulls are meant has to be such that no liar
// alone can keep the peer out while it has an honest neighbour.
func (a *average) join(k int, others uint64) {
	n := a.ownCounts.At(k)
	if n == 0 || others > maxPullRatio*n && a.variance(k) > joinStdDev*joinStdDev || a.mixed.Joined(k) || !a.mixed.Join(k) {
		return
	}
	a.notJoined--
	a.belief.X[k] = a.mixed.At(k)
}

// variance bounds that of the own mean of arm k: of rewards from 0 to 1, and of its noise.
func (a *average) variance(k int) float64 {
	b := &a.belief
	return 1/(4*float64(a.ownCounts.At(k))) + 2*b.LaplaceSumSq[k] + b.GaussVar[k]
}

// joinByCounts enters the arms of which nobody in the network is heard to have far more
// pulls, which after a common start are all of them, soon, and those of which the peer is
// sure. A peer that has heard nobody, or under Robust fewer than a rank needs, waits.
func (a *average) joinByCounts() {
	if a.notJoined == 0 || !a.heardCounts {
		return
	}
	a.rank()
	for k := range a.silent {
		a.join(k, a.counts.At(k))
	}
}

// joinByNeighbour enters the arms of which the other end of an exchange has not far more
// pulls by its own count. Beliefs of the greatest count are what any liar makes of them.
func (a *average) joinByNeighbour(counts dp.Release) {
	if a.notJoined == 0 {
		return
	}
	for k := range a.silent {
		if n := counts.Count(k); n > 0 { // who never pulled it says nothing of it
			a.join(k, n)
		}
	}
}

// joinAll enters every arm under Max: the paper averages whatever there is, which is
// right where all begin together.
func (a *average) joinAll() {
	if a.p.Consistency != Max {
		return
	}
	for k := range a.silent {
		if !a.mixed.Joined(k) && a.mixed.Join(k) {
			a.notJoined--
		}
	}
}
