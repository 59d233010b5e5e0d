package site

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node/decision"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
)

// offered is what a decision could choose from, as it was asked, stored by the decision's id: of a learner by
// features, or if actions were excluded. Nothing is chosen or learned from it: it is for [DecisionReader]. All numbers
// take the same room, so that how much room there is does not follow from them. It is written with its decision, and
// never again.
type offered struct {
	context  []float64
	actions  []offeredAction // of the ask, in its order; none without features
	excluded []bandit.Arm
}

// offeredAction is an action of an ask.
type offeredAction struct {
	place    bandit.Arm
	id       string // "" for an arm of the network
	features []float64
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (offered) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Format implements [fmt.Formatter] as [logRecord] does.
func (offeredAction) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// keepOffered stores what an ask had on offer.
func (x *tx) keepOffered(ask *decision.Ask, o *offer) {
	of := offered{context: ask.Context, excluded: slices.Concat(o.excluded, o.closed)}
	if o.features == nil && len(of.excluded) == 0 {
		return
	}
	if x.site.c.Names.Own() { // whose features follow from the places of arms
		of.excluded = append(of.excluded, x.site.c.Absent...)
	}
	for i, f := range ask.Features {
		of.actions = append(of.actions, offeredAction{place: x.site.present[i], features: f})
	}
	for i, a := range ask.Actions {
		of.actions = append(of.actions, offeredAction{x.site.present[i], a.ID, a.Features})
	}
	x.batch.Set(store.Offer, []byte(ask.ID), of.bytes())
}

func (o *offered) fields(v *state.Visitor, arms int) {
	numbers := func(x *[]float64) { state.List(v, x, v.Float) }
	place := shape{arms: arms}
	numbers(&o.context)
	state.List(v, &o.actions, func(a *offeredAction) {
		place.arm(v, &a.place)
		v.String(&a.id)
		numbers(&a.features)
	})
	state.List(v, &o.excluded, func(a *bandit.Arm) { place.arm(v, a) })
}

func (o *offered) bytes() []byte {
	return state.Save(offeredVersion, func(v *state.Visitor) { o.fields(v, 0) })
}

// parseOffered reads what a decision of a site with a number of arms could choose from.
func parseOffered(b []byte, arms int) (o offered, err error) {
	err = form.Decode("offer", b, offeredVersion, offeredVersion, func(v *state.Visitor) { o.fields(v, arms) })
	return o, err
}

// own adds the actions of a site where each has only a feature of its own, of a number of features.
func (o *offered) own(arms []string, features int) {
	var places []bandit.Arm
	for i := range arms {
		places = append(places, bandit.Arm(i))
	}
	for i, x := range decision.OwnFeatures(features, places) {
		o.actions = append(o.actions, offeredAction{place: places[i], features: x})
	}
}

// on returns what was on offer, without what was excluded.
func (o *offered) on(arms []string) (on Offered) {
	on.Context = o.context
	for _, a := range o.actions {
		if slices.Contains(o.excluded, a.place) {
			continue
		}
		if a.id == "" {
			a.id = arms[a.place]
		}
		on.Names, on.Features = append(on.Names, a.id), append(on.Features, a.features)
	}
	for _, a := range o.excluded {
		if len(o.actions) == 0 {
			on.Excluded = append(on.Excluded, arms[a])
		}
	}
	return on
}

// An Offered is what a decision could choose from. It is empty for a decision without features in which nothing
// was excluded, and for one of an earlier release.
type Offered struct {
	Context  []float64   // as asked
	Names    []string    // of the actions that could be chosen; none without features
	Features [][]float64 // of these, as asked
	Excluded []string    // without features: the actions that could not be chosen; all others could
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (Offered) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }
