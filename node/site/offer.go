package site

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// An offer is the set of actions of an ask: the network's arms, or actions of its own, which take
// the places of arms in their order.
type offer struct {
	own      bool
	all      bool                  // the request names no actions: those on offer follow from settings
	places   map[string]bandit.Arm // by name
	features []bandit.Features     // by place, 0 where there is no arm; nil unless the learner is contextual
	excluded []bandit.Arm          // without repetition, and never all
	closed   []bandit.Arm          // arms that can be chosen and are not on offer
}

// on reports whether a place is on offer and not excluded.
func (o *offer) on(a bandit.Arm) bool {
	return !slices.Contains(o.excluded, a) && !slices.Contains(o.closed, a)
}

// exclude excludes actions by name. Names that have no place any more belong to retired arms.
func (o *offer) exclude(names, arms []string) error {
	for i, name := range names {
		a, ok := o.places[name]
		switch {
		case !ok && !o.own && name != "" && slices.Contains(arms, name):
		case !ok && o.own:
			return &decision.Refusal{Code: decision.Invalid, Field: fmt.Sprintf("exclude[%d]", i), Reason: fmt.Sprintf("%q is no action of this request", name)}
		case !ok:
			return &decision.Refusal{Code: decision.Invalid, Field: fmt.Sprintf("exclude[%d]", i), Reason: fmt.Sprintf("%q is no action of this network; GET /v1/arms lists them", name)}
		case !slices.Contains(o.excluded, a):
			o.excluded = append(o.excluded, a)
		}
	}
	for _, a := range o.places {
		if o.on(a) {
			return nil
		}
	}
	if len(o.places) > 0 {
		return &decision.Refusal{Code: decision.Invalid, Field: "exclude", Reason: "every action is excluded; leave one"}
	}
	return nil
}

// has returns the place of an action, and whether it is offered and not excluded.
func (o *offer) has(name string) (bandit.Arm, bool) {
	a, ok := o.places[name]
	return a, ok && o.on(a)
}

// place returns the present place of a choice that was made before, if it is offered in the same
// form.
func (o *offer) place(c *choice, arms []string) (bandit.Arm, bool) {
	if o.features == nil {
		return c.arm, o.all || !slices.Contains(o.closed, c.arm)
	}
	a, ok := o.places[c.name(arms)]
	return a, ok && o.own == (c.action != "") && (o.all || !slices.Contains(o.closed, a))
}

// text returns the name of a place.
func (o *offer) text(place bandit.Arm, arms []string) string {
	if o.own {
		return o.nameOf(place)
	}
	return arms[place]
}

// nameOf returns the id of one of the ask's own actions, or "" if it has none.
func (o *offer) nameOf(place bandit.Arm) string {
	if o.own {
		for name, a := range o.places {
			if a == place {
				return name
			}
		}
	}
	return ""
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

// added reports whether an arm was added after the network began.
func (g *given) added(a bandit.Arm) bool { return g.c.Founding > 0 && int(a) >= g.c.Founding }

// offers reports whether an arm is on offer without being named: applications that do not know an action that was added must not
// be answered with it.
func (g *given) offers(a bandit.Arm) bool {
	return !g.added(a) || slices.Contains(g.c.Rules.Offer, OfferAll) || slices.Contains(g.c.Rules.Offer, g.c.Arms[a])
}
