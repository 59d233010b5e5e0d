package protocol

import (
	"peerd.dev/dp"
)

// averageState is what average remembers.
type averageState struct {
	Round                  Round
	Mixed                  []byte
	Counts, Mine           []byte
	Links                  []averageLinkState
	Asked                  Peer // Everyone for nobody
	Leaves, Forced         []uint64
	Later, Heard, Met      bool
	Silent                 []bool
	Spread                 []float64
	NoiseV, NoiseB, NoiseG []float64
	Pulls                  []uint64
	Allow                  float64
	Until                  Round
}

type averageLinkState struct {
	Peer    Peer
	Claim   []byte
	Next    Round
	Seq     uint64
	Open    bool
	Sent    Round
	Last    Label
	Answer  Kind
	Delta   []byte
	Claimed uint64
}

// Save implements [Protocol].
func (a *average) Save() ([]byte, error) {
	b := &a.belief
	s := averageState{
		Round: a.round, Mixed: a.mixed.Save(), Counts: a.counts.Save(), Mine: a.mine.Save(),
		Asked: Everyone, Later: a.later, Leaves: a.leaves, Forced: a.forced, Heard: a.heard, Met: a.met, Silent: a.silent,
		Spread: b.Spread, NoiseV: b.NoiseV, NoiseB: b.NoiseB, NoiseG: b.NoiseG, Pulls: b.Pulls, Allow: a.allow, Until: a.until,
	}
	if a.asked >= 0 {
		s.Asked = a.links[a.asked].peer
	}
	claims := savedReleases(a.claims)
	for i := range a.links {
		l := &a.links[i]
		s.Links = append(s.Links, averageLinkState{
			l.peer, claims[i], l.next, l.seq, l.open, l.sent, l.last, l.answer, savedReleases([]dp.Release{l.delta})[0], l.claimed,
		})
	}
	return saveState(s)
}

// Load implements [Protocol].
func (a *average) Load(state []byte) error {
	var s averageState
	if err := loadState(state, &s); err != nil {
		return err
	}
	if err := a.mixed.Load(s.Mixed); err != nil {
		return err
	}
	if err := a.counts.Load(s.Counts); err != nil {
		return err
	}
	if err := a.mine.Load(s.Mine); err != nil {
		return err
	}
	b := &a.belief
	for _, n := range []struct{ to, saved []uint64 }{{a.leaves, s.Leaves}, {a.forced, s.Forced}, {b.Pulls, s.Pulls}} {
		if err := loadNumbers(n.to, n.saved); err != nil {
			return err
		}
	}
	for _, n := range []struct{ to, saved []float64 }{{b.Spread, s.Spread}, {b.NoiseV, s.NoiseV}, {b.NoiseB, s.NoiseB}, {b.NoiseG, s.NoiseG}} {
		if err := loadNumbers(n.to, n.saved); err != nil {
			return err
		}
	}
	if err := loadNumbers(a.silent, s.Silent); err != nil {
		return err
	}
	for k := range s.Links {
		from := &s.Links[k]
		i := a.link(from.Peer)
		if i < 0 {
			continue // no neighbour any more
		}
		l, loaded := &a.links[i], make([]dp.Release, 2)
		if err := loadReleases(loaded, [][]byte{from.Delta, from.Claim}); err != nil {
			return err
		}
		a.claims[i] = loaded[1]
		l.next, l.seq, l.open, l.sent = from.Next, from.Seq, from.Open, from.Sent
		l.last, l.answer, l.delta, l.claimed = from.Last, from.Answer, loaded[0], from.Claimed
	}
	a.round, a.asked, a.later, a.heard, a.met = s.Round, a.link(s.Asked), s.Later, s.Heard, s.Met
	a.allow, a.until = s.Allow, s.Until
	a.out = 0
	for k := range a.leaves {
		if !a.mixed.In(k) {
			a.out++
		}
	}
	a.enterAll() // the rule may have been another
	a.refresh()
	return nil
}
