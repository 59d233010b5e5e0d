package site

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// OfferAll in [Rules.Offer] stands for every action that is added to the network.
const OfferAll = "all"

// newShare is the share of decisions that actions of which nothing is known get together.
const newShare = .1

// added reports whether an arm was added after the network began.
func (g *given) added(a bandit.Arm) bool { return g.c.Founding > 0 && int(a) >= g.c.Founding }

// offers reports whether an arm is on offer without being named: applications that do not know an action that was added must not
// be answered with it.
func (g *given) offers(a bandit.Arm) bool {
	return !g.added(a) || slices.Contains(g.c.Rules.Offer, OfferAll) || slices.Contains(g.c.Rules.Offer, g.c.Arms[a])
}

// name puts the named arms on offer, or those that settings offer if names is nil.
func (o *offer) name(names []string, g *given) error {
	o.all = names == nil
	named := make([]bandit.Arm, 0, len(names))
	for i, name := range names {
		a, ok := o.places[name]
		field := fmt.Sprintf("actions[%d]", i)
		switch {
		case !ok && name != "" && slices.Contains(g.c.Arms, name):
			return &decision.Refusal{Code: decision.Invalid, Field: field, Reason: fmt.Sprintf("%q is retired: no peer chooses it any more; leave it out", name)}
		case !ok:
			return &decision.Refusal{Code: decision.Invalid, Field: field, Reason: fmt.Sprintf("%q is no action of this network; GET /v1/arms lists them", name)}
		case slices.Contains(named, a):
			return &decision.Refusal{Code: decision.Invalid, Field: field, Reason: fmt.Sprintf("%q is named twice; want every action once", name)}
		}
		named = append(named, a)
	}
	if names != nil && len(names) == 0 {
		return &decision.Refusal{Code: decision.Invalid, Field: "actions", Reason: "want the name of one action at least, or leave the field out"}
	}
	for _, a := range g.present {
		if o.all && !g.offers(a) || !o.all && !slices.Contains(named, a) {
			o.closed = append(o.closed, a)
		}
	}
	return nil
}

// strangers returns the added arms on offer of which nothing is released, if something is known of another arm
// on offer. It follows from releases alone.
func (g *given) strangers(o *offer) (arms []bandit.Arm) {
	if o.features != nil || g.c.Founding == 0 || g.agent.Keeps() {
		return nil
	}
	b, known := g.agent.Belief(), false
	for _, a := range g.present {
		switch {
		case !o.on(a):
		case b.Known(int(a)):
			known = true
		case g.added(a):
			arms = append(arms, a)
		}
	}
	if !known {
		return nil
	}
	return arms
}
