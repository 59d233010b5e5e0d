package site

import (
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// form refuses an ask whose form does not suit the site's rules.
func (x *tx) form(ask *decision.Ask) error {
	invalid := func(field, reason string) error {
		return &decision.Refusal{Code: decision.Invalid, Field: field, Reason: reason}
	}
	rules := &x.site.c.Rules
	switch {
	case ask.Taken == nil && rules.Shadow.shadows():
		return invalid("taken", fmt.Sprintf("want what your own policy took, and with which propensity: api.shadow is %s at this peer", rules.Shadow))
	case ask.Taken != nil && !rules.Shadow.shadows():
		return invalid("taken", "this peer chooses by itself; leave the field out, or set api.shadow")
	case ask.Taken != nil && decision.WrongPropensity(ask.Taken.Propensity) != "":
		return invalid("taken.propensity", decision.WrongPropensity(ask.Taken.Propensity))
	case ask.Table == "":
		return nil
	case x.site.tables == nil:
		return invalid("table", "this program has no tables to draw from")
	case ask.ID == "":
		return invalid("id", "want the id by which the action was drawn from the table")
	}
	return Source{x.site}.NoTable()
}

// taken returns the place of what the application took.
func (o *offer) taken(t *decision.Taken) (bandit.Arm, error) {
	a, known := o.places[t.Action]
	switch {
	case !known:
		return a, &decision.Refusal{Code: decision.Invalid, Field: "taken.action", Reason: fmt.Sprintf("%q is no action that can be chosen here", t.Action)}
	case !o.on(a):
		return a, &decision.Refusal{Code: decision.Invalid, Field: "taken.action", Reason: fmt.Sprintf("%q is excluded or not on offer", t.Action)}
	}
	return a, nil
}

// sameTaken refuses an ask whose id is known but was taken or drawn in another way.
func (x *tx) sameTaken(old *choice, ask *decision.Ask) error {
	conflict := func(field, reason string) error {
		return &decision.Refusal{Code: decision.Conflict, Field: field, Reason: reason}
	}
	switch {
	case ask.Taken != nil && old.source != decision.Application:
		return conflict("taken", "the peer chose for the decision of this id; take another id")
	case ask.Taken == nil && old.source == decision.Application:
		return conflict("taken", "the application took the action of this id; send it again, or take another id")
	case ask.Taken != nil && (ask.Taken.Action != old.name(x.site.c.Arms) || ask.Taken.Propensity != old.chance):
		return conflict("taken", "something else was taken for the decision of this id, and stands; take another id")
	}
	if ask.Table == "" {
		return nil
	}
	made := decision.Lot{Arm: old.arm, Chance: old.chance, Model: old.model}
	return x.site.tables.Same(ask, made, old.name(x.site.c.Arms), old.source == decision.Drawn)
}
