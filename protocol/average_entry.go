package protocol

import "peerd.dev/dp"

// Until a peer has entered an arm, its own pulls are in nobody's estimate: it takes in
// what others know and adds nothing. A late joiner's first pulls would bring their noise
// into what rests on thousands.

// abreast is up to how many times one's own pulls others may have who are not ahead.
const abreast = 4

// enter makes the peer take part in averaging arm k if it is not far behind some other's
// pulls of it. Whose pulls are meant has to be such that no liar alone can keep the peer
// out while it has an honest neighbour.
func (a *average) enter(k int, others uint64) {
	n := a.mine.At(k)
	if n == 0 || others > abreast*n || a.mixed.In(k) || !a.mixed.Enter(k) {
		return
	}
	a.out--
	a.belief.Mean[k] = a.mixed.At(k)
}

// enterAbreast enters the arms of which nobody in the network is heard to have far more
// pulls: all of them, soon after a common start. Who has heard nobody waits.
func (a *average) enterAbreast() {
	if a.out == 0 || !a.met {
		return
	}
	a.rank()
	for k := range a.leaves {
		a.enter(k, a.counts.At(k))
	}
}

// enterBeside enters the arms of which the other end of an exchange has not far more
// pulls by its own count. Beliefs of the greatest count are what any liar makes of them.
func (a *average) enterBeside(counts dp.Release) {
	if a.out == 0 {
		return
	}
	for k := range a.leaves {
		if n := counts.Count(k); n > 0 { // who never pulled it says nothing of it
			a.enter(k, n)
		}
	}
}

// enterAll enters every arm under Max: the paper averages whatever there is, which is
// right where all begin together.
func (a *average) enterAll() {
	if a.p.Consistency != Max {
		return
	}
	for k := range a.leaves {
		if !a.mixed.In(k) && a.mixed.Enter(k) {
			a.out--
		}
	}
}
