package averaging

import (
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

const averageVersion = 2

// Save implements [protocol.Protocol].
func (a *average) Save() (protocol.State, error) { return spread.Save(averageVersion, a.fields), nil }

// Load implements [protocol.Protocol].
func (a *average) Load(saved protocol.State) error {
	if err := spread.Load(saved, averageVersion, a.fields); err != nil {
		return err
	}
	a.notJoined = 0
	for k := range a.silent {
		if !a.mixed.Joined(k) {
			a.notJoined++
		}
	}
	a.joinAll() // the rule may have changed
	a.refresh()
	return nil
}

func (a *average) fields(v *state.Visitor) {
	b := &a.belief
	state.Number(v, &a.round)
	spread.VisitPart(v, a.mixed.Save, a.mixed.Load)
	spread.VisitPart(v, a.counts.Save, a.counts.Load)
	spread.VisitPart(v, a.ownCounts.Save, a.ownCounts.Load)
	if v.Loading() {
		a.pendingLink = -1
	}
	for i := range v.Len(len(a.links)) {
		a.visitLink(v, i)
	}
	v.Bool(&a.declined)
	v.Bool(&a.unranked)
	v.Bool(&a.heardCounts)
	v.Bools(a.silent)
	v.Uints(a.Forced)
	v.Uints(b.Pulls)
	for _, x := range [][]float64{b.SampleVar, b.LaplaceSumSq, b.LaplaceMax, b.GaussVar} {
		v.Floats(x)
	}
	v.Float(&a.Allow)
	state.Number(v, &a.Until)
}

// visitLink visits the exchanges with the peer of a place. A saved peer may not be a neighbour any
// more.
func (a *average) visitLink(v *state.Visitor, i int) {
	var l averageLink
	var asked bool
	var claim dp.Release
	if !v.Loading() {
		l, asked, claim = a.links[i], i == a.pendingLink, a.claims[i]
	}
	state.Number(v, &l.peer)
	v.Bool(&asked)
	spread.VisitRelease(v, &claim)
	state.Number(v, &l.next)
	v.Uint(&l.seq)
	v.Bool(&l.open)
	state.Number(v, &l.sent)
	spread.VisitLabel(v, &l.last)
	state.Number(v, &l.answer)
	spread.VisitRelease(v, &l.delta)
	v.Uint(&l.claimed)
	if !v.Loading() {
		return
	}
	v.Check(l.answer == 0 || l.answer == averageDelta || l.answer == averageBusy, "an answer of kind %d", l.answer)
	v.Check(claim.Empty() || claim.Counts() == a.c.Parts, "a claim of %d counts, want %d", claim.Counts(), a.c.Parts)
	if place := a.link(l.peer); place >= 0 && v.OK() {
		a.links[place], a.claims[place] = l, claim
		if asked {
			a.pendingLink = place
		}
	}
}
