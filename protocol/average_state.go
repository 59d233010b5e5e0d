package protocol

import "peerd.dev/dp/state"

const averageVersion = 2

// Save implements [Protocol].
func (a *average) Save() ([]byte, error) {
	w, b := state.NewWriter(averageVersion), &a.belief
	w.Uint(uint64(a.round))
	w.Bytes(a.mixed.Save())
	w.Bytes(a.counts.Save())
	w.Bytes(a.ownCounts.Save())
	w.Uint(uint64(len(a.links)))
	for i := range a.links {
		l := &a.links[i]
		w.Uint(uint64(l.peer))
		w.Bool(i == a.pendingLink)
		writeRelease(w, a.claims[i])
		w.Uint(uint64(l.next))
		w.Uint(l.seq)
		w.Bool(l.open)
		w.Uint(uint64(l.sent))
		writeLabel(w, l.last)
		w.Uint(uint64(l.answer))
		writeRelease(w, l.delta)
		w.Uint(l.claimed)
	}
	w.Bool(a.declined)
	w.Bool(a.unranked)
	w.Bool(a.heardCounts)
	w.Bools(a.silent)
	w.Uints(a.forced)
	w.Uints(b.Pulls)
	for _, x := range [][]float64{b.SampleVar, b.LaplaceSumSq, b.LaplaceMax, b.GaussVar} {
		w.Floats(x)
	}
	w.Float(a.allow)
	w.Uint(uint64(a.until))
	return w.State(), nil
}

// Load implements [Protocol].
func (a *average) Load(saved []byte) error {
	s, b := state.NewReader(saved, averageVersion), &a.belief
	a.round = Round(s.Uint())
	for _, load := range []func([]byte) error{a.mixed.Load, a.counts.Load, a.ownCounts.Load} {
		if part := s.Bytes(); s.OK() {
			if err := load(part); err != nil {
				s.Fail("%v", err)
			}
		}
	}
	a.pendingLink = -1
	for range s.Len() {
		a.loadLink(s)
	}
	a.declined, a.unranked, a.heardCounts = s.Bool(), s.Bool(), s.Bool()
	s.Bools(a.silent)
	s.Uints(a.forced)
	s.Uints(b.Pulls)
	for _, x := range [][]float64{b.SampleVar, b.LaplaceSumSq, b.LaplaceMax, b.GaussVar} {
		s.Floats(x)
	}
	a.allow, a.until = s.Float(), Round(s.Uint())
	if err := ended(s); err != nil {
		return err
	}
	a.notJoined = 0
	for k := range a.silent {
		if !a.mixed.Joined(k) {
			a.notJoined++
		}
	}
	a.joinAll() // the rule may have been another
	a.refresh()
	return nil
}

// loadLink reads the state of exchanges with a peer, who may be no neighbour any more.
func (a *average) loadLink(s *state.Reader) {
	l := averageLink{peer: Peer(s.Uint())}
	asked, claim := s.Bool(), readRelease(s)
	l.next, l.seq, l.open, l.sent = Round(s.Uint()), s.Uint(), s.Bool(), Round(s.Uint())
	l.last = readLabel(s)
	answer := s.Uint()
	l.answer, l.delta, l.claimed = Kind(answer), readRelease(s), s.Uint()
	if answer != 0 && answer != uint64(averageDelta) && answer != uint64(averageBusy) {
		s.Fail("an answer of kind %d", answer)
	}
	if !claim.Empty() && claim.Counts() != a.c.Parts {
		s.Fail("a claim of %d counts, want %d", claim.Counts(), a.c.Parts)
	}
	if i := a.link(l.peer); i >= 0 && s.OK() {
		a.links[i], a.claims[i] = l, claim
		if asked {
			a.pendingLink = i
		}
	}
}
