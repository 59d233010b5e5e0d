package decision

import (
	"fmt"
	"math"

	"peerd.dev/bandit"
)

// An Action is offered by an [Ask] under an id of the caller's. The next ask may offer others.
type Action struct {
	ID       string // of no other action of the ask
	Features []float64
}

// A Shape says what an [Ask] must describe its actions by.
type Shape struct {
	Actions int           // of the network; an ask offers no more
	Inputs  bandit.Inputs // zero if the learner takes no features
	Bounded bool          // context and features have norms of 1 at most
}

// longest is the greatest sum of squares, with room for what rounding adds to a norm of 1.
const longest = 1 + 1e-9

// Check returns nil if an ask has the actions, features and context that are wanted, and otherwise a refusal that names
// the field, what is wanted and how much there is, never a number of the features.
func (s Shape) Check(a *Ask) *Refusal {
	if r := s.checkForm(a); r != nil {
		return r
	}
	if r := s.checkNumbers("context", a.Context, s.Inputs.Context); r != nil {
		return r
	}
	for i, x := range a.Features {
		if r := s.checkNumbers(fmt.Sprintf("features[%d]", i), x, s.Inputs.Action); r != nil {
			return r
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
		if r := s.checkNumbers(fmt.Sprintf("actions[%d].features", i), x.Features, s.Inputs.Action); r != nil {
			return r
		}
	}
	return nil
}

func invalid(field, reason string) *Refusal {
	return &Refusal{Code: Invalid, Field: field, Reason: reason}
}

// checkForm refuses fields that do not go with the learner or with each other, and wrong numbers of actions.
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

// checkNumbers refuses a list of another length than wanted, or with numbers that a learner cannot take.
func (s Shape) checkNumbers(field string, x []float64, want int) *Refusal {
	if len(x) != want {
		return invalid(field, fmt.Sprintf("want %d numbers, got %d", want, len(x)))
	}
	sum := 0.
	for k, v := range x {
		sum += v * v
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return invalid(fmt.Sprintf("%s[%d]", field, k), "want a finite number")
		}
	}
	if s.Bounded && !(sum <= longest) {
		return invalid(field, "want a sum of squares of at most 1; divide all such lists by the greatest norm that there can be")
	}
	return nil
}

// Offered returns the features, as the learner takes them, of the actions of an ask that [Shape.Check] has passed, in its
// order; nil if the learner takes none.
func (s Shape) Offered(a *Ask) (all []bandit.Features) {
	for _, x := range a.Features {
		all = append(all, s.Inputs.Features(a.Context, x))
	}
	for _, x := range a.Actions {
		all = append(all, s.Inputs.Features(a.Context, x.Features))
	}
	return all
}
