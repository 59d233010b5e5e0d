package decision

import (
	"fmt"
	"math"

	"peerd.dev/bandit"
)

// An Action is offered by an [Ask] under an id that the caller chose. The next ask may offer
// others.
type Action struct {
	ID       string // unique in the ask
	Features []float64
}

// A Shape says which numbers an [Ask] must describe its actions by.
type Shape struct {
	Actions int           // in the network; an ask offers no more
	Inputs  bandit.Inputs // zero if the learner takes no features
	Bounded bool          // context and features have norms of 1 at most
	Names   *Names        // of features that can be given by name; nil for none
	Own     [][]float64   // features of the actions, which the peer makes; nil if the ask has them
}

// longest is the greatest sum of squares, with room for what rounding adds to a norm of 1.
const longest = 1 + 1e-9

// Check returns nil if an ask has the required actions, features and context, and otherwise a
// refusal that names the field, what is wanted and how much there is, never a number of the
// features.
func (s Shape) Check(a *Ask) *Refusal {
	if r := s.checkForm(a); r != nil {
		return r
	}
	if by := s.Names.OfContext(); by != nil && a.Context == nil {
		return invalid("context", "want an object with "+by.Names())
	}
	if at, wrong := s.wrong(a.Context, s.Inputs.Context); wrong != "" {
		return invalid("context"+at, wrong)
	}
	for i, x := range a.Features {
		if at, wrong := s.wrong(x, s.Inputs.Action); wrong != "" {
			return invalid(fmt.Sprintf("features[%d]%s", i, at), wrong)
		}
	}
	seen := make(map[string]bool, len(a.Actions))
	for i, x := range a.Actions {
		switch {
		case x.ID == "":
			return invalid(fmt.Sprintf("actions[%d].id", i), "want a name")
		case seen[x.ID]:
			return invalid(fmt.Sprintf("actions[%d].id", i), fmt.Sprintf("%q is offered twice; want every action once", x.ID))
		}
		seen[x.ID] = true
		if at, wrong := s.wrong(x.Features, s.Inputs.Action); wrong != "" {
			return invalid(fmt.Sprintf("actions[%d].features%s", i, at), wrong)
		}
	}
	return nil
}

func invalid(field, reason string) *Refusal {
	return &Refusal{Code: Invalid, Field: field, Reason: reason}
}

// checkForm refuses fields that do not suit the learner or each other, and wrong numbers of
// actions.
func (s Shape) checkForm(a *Ask) *Refusal {
	n := len(a.Actions)
	switch {
	case s.Inputs.Action == 0:
		for _, f := range []struct {
			name  string
			given bool
		}{{"features", len(a.Features) > 0}, {"actions", a.Actions != nil}, {"context", len(a.Context) > 0}} {
			if f.given {
				return invalid(f.name, "this peer's learner takes no features; leave the field out")
			}
		}
	case s.Own != nil && (a.Actions != nil || a.Features != nil):
		field := "features"
		if a.Actions != nil {
			field = "actions"
		}
		return invalid(field, "this peer's actions have one feature each, which it makes; leave the field out, or name actions")
	case s.Own != nil:
	case s.Inputs.Context == 0 && len(a.Context) > 0:
		return invalid("context", "this peer's learner takes no context; leave the field out")
	case a.Actions != nil && a.Features != nil:
		return invalid("actions", "want either actions or features, not both")
	case a.Actions != nil && (n == 0 || n > s.Actions):
		return invalid("actions", fmt.Sprintf("want 1 to %d actions, as many as the network has at most, got %d", s.Actions, n))
	case a.Actions == nil && len(a.Features) != s.Actions:
		return invalid("features", fmt.Sprintf("want %d lists of %d numbers, one list for each action, in the network's order, got %d lists; or actions, with an id and %d numbers each",
			s.Actions, s.Inputs.Action, len(a.Features), s.Inputs.Action))
	}
	return nil
}

// wrong checks a list's length and numbers. It returns what is wrong, or "", and the index of a
// wrong number, as in "[3]". The caller adds the name of the list only if there is a mistake,
// since an ask has many lists.
func (s Shape) wrong(x []float64, want int) (at, reason string) {
	if len(x) != want {
		return "", fmt.Sprintf("want %d numbers, got %d", want, len(x))
	}
	sum := 0.
	for k, v := range x {
		sum += v * v
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("[%d]", k), "want a finite number"
		}
	}
	if s.Bounded && !(sum <= longest) {
		return "", "want a sum of squares of at most 1; divide all such lists by the greatest norm that there can be"
	}
	return "", ""
}

// Offered returns the features of an ask's actions, as the learner takes them, in the ask's
// order; nil if the learner takes none. [Shape.Check] must have accepted the ask. The features
// may be the ask's own slices.
func (s Shape) Offered(a *Ask) (all []bandit.Features) {
	lists := a.Features
	if s.Own != nil {
		lists = s.Own
	}
	if n := len(lists) + len(a.Actions); n > 0 {
		all = make([]bandit.Features, 0, n)
	}
	for _, x := range lists {
		all = append(all, s.Inputs.Features(a.Context, x))
	}
	for _, x := range a.Actions {
		all = append(all, s.Inputs.Features(a.Context, x.Features))
	}
	return all
}
