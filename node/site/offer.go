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

// offer returns the offer of an ask.
func (x *tx) offer(ask *decision.Ask) (o offer, err error) {
	shape := x.site.Features()
	if r := shape.Check(ask); r != nil {
		return o, r
	}
	o = offer{own: ask.Actions != nil, places: x.site.arms}
	if o.own {
		o.places = make(map[string]bandit.Arm, len(ask.Actions))
		for i, a := range ask.Actions {
			o.places[a.ID] = x.site.present[i]
		}
	}
	offered := shape.Offered(ask)
	if n := len(offered); n > 0 {
		o.features = make([]bandit.Features, 0, x.site.present[n-1]+1)
	}
	for i, f := range offered {
		for len(o.features) < int(x.site.present[i]) {
			o.features = append(o.features, make(bandit.Features, len(f)))
		}
		o.features = append(o.features, f)
	}
	if o.features == nil || shape.Own != nil {
		if err = o.name(ask.Named, &x.site.given); err != nil {
			return o, err
		}
	} else if ask.Named != nil {
		return o, &decision.Refusal{Code: decision.Invalid, Field: "actions", Reason: "this peer's learner chooses by features: want an object with id and features for each action"}
	}
	return o, o.exclude(ask.Exclude, x.site.c.Arms)
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
