package averaging

import "peerd.dev/dp"

// Until a peer has entered an arm, its own pulls are in no estimate: it receives what others know
// and adds nothing. The noise of a late joiner's first pulls would spoil an estimate that rests on
// thousands.

// maxPullRatio is the greatest ratio of another peer's pulls to one's own at which that peer is not
// ahead.
const maxPullRatio = 4

// joinStdDev is a standard deviation of an own mean, in rewards, that is small compared with the
// differences between arms. A site that reaches it takes part even if others are far ahead, so that
// a site with little traffic counts too.
const joinStdDev = 1. / 20

// join makes the peer take part in averaging arm k if its pulls are not far behind another count,
// or if its own mean is precise. The caller chooses that count so that no single liar can exclude
// the peer while it has an honest neighbour.
func (a *average) join(k int, others uint64) {
	n := a.ownCounts.At(k)
	if n == 0 || others > maxPullRatio*n && a.variance(k) > joinStdDev*joinStdDev || a.mixed.Joined(k) || !a.mixed.Join(k) {
		return
	}
	a.notJoined--
	a.belief.X[k] = a.mixed.At(k)
}

// variance bounds the variance of the own mean of arm k: rewards from 0 to 1, and noise.
func (a *average) variance(k int) float64 {
	b := &a.belief
	return 1/(4*float64(a.ownCounts.At(k))) + 2*b.LaplaceSumSq[k] + b.GaussVar[k]
}

// joinByCounts enters the arms of which no peer claims far more pulls, which after a common start
// soon are all arms, and the arms with a precise own mean. A peer without claims, or under Robust
// with fewer than a rank needs, waits.
func (a *average) joinByCounts() {
	if a.notJoined == 0 || !a.heardCounts {
		return
	}
	a.rank()
	for k := range a.silent {
		a.join(k, a.counts.At(k))
	}
}

// joinByNeighbour enters the arms of which the other end of an exchange does not have far more
// pulls, by its own count. Any liar can raise beliefs of the greatest count.
func (a *average) joinByNeighbour(counts dp.Release) {
	if a.notJoined == 0 {
		return
	}
	for k := range a.silent {
		if n := counts.Count(k); n > 0 { // a peer without pulls of it has no say
			a.join(k, n)
		}
	}
}
