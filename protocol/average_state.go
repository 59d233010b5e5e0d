package protocol

import (
	"fmt"

	"peerd.dev/dp"
)

// averageState is what average remembers.
type averageState struct {
	Round          Round
	Mixed          []byte
	Counts, Mine   []byte
	Links          []averageLinkState
	Asked          int
	Leaves, Forced []uint64
	Claims         [][]byte
	Heard, Silent  bool
	Spread         []float64
	NoiseV, NoiseB []float64
	Pulls          []uint64
	Allow          float64
	Until          Round
}

type averageLinkState struct {
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
		Asked: a.asked, Leaves: a.leaves, Forced: a.forced, Claims: savedReleases(a.claims), Heard: a.heard, Silent: a.silent,
		Spread: b.Spread, NoiseV: b.NoiseV, NoiseB: b.NoiseB, Pulls: b.Pulls, Allow: a.allow, Until: a.until,
	}
	for i := range a.links {
		l := &a.links[i]
		s.Links = append(s.Links, averageLinkState{
			l.next, l.seq, l.open, l.sent, l.last, l.answer, savedReleases([]dp.Release{l.delta})[0], l.claimed,
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
	if len(s.Links) != len(a.links) || s.Asked < -1 || s.Asked >= len(a.links) {
		return fmt.Errorf("%w: %d links, the open one %d; want %d", ErrState, len(s.Links), s.Asked, len(a.links))
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
	if err := loadReleases(a.claims, s.Claims); err != nil {
		return err
	}
	b := &a.belief
	for _, n := range []struct{ to, saved []uint64 }{{a.leaves, s.Leaves}, {a.forced, s.Forced}, {b.Pulls, s.Pulls}} {
		if err := loadNumbers(n.to, n.saved); err != nil {
			return err
		}
	}
	for _, n := range []struct{ to, saved []float64 }{{b.Spread, s.Spread}, {b.NoiseV, s.NoiseV}, {b.NoiseB, s.NoiseB}} {
		if err := loadNumbers(n.to, n.saved); err != nil {
			return err
		}
	}
	for i := range a.links {
		l, from := &a.links[i], &s.Links[i]
		delta := make([]dp.Release, 1)
		if err := loadReleases(delta, [][]byte{from.Delta}); err != nil {
			return err
		}
		l.next, l.seq, l.open, l.sent = from.Next, from.Seq, from.Open, from.Sent
		l.last, l.answer, l.delta, l.claimed = from.Last, from.Answer, delta[0], from.Claimed
	}
	a.round, a.asked, a.heard, a.silent, a.allow, a.until = s.Round, s.Asked, s.Heard, s.Silent, s.Allow, s.Until
	a.refresh()
	return nil
}
