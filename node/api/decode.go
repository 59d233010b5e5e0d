package api

import (
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// maxItems is the greatest length of any list: a batch, the actions of a network, the features of an action.
const maxItems = 1000

// An item is what was read from a request, with its flaws.
type item[T any] struct {
	value T
	flaws []Flaw
}

// decodeAsk reads an ask for a shape.
func decodeAsk(s *scanner, shape decision.Shape) (a decision.Ask) {
	s.object(
		field{name: "id", read: func() { a.ID = s.text(decision.WrongID) }},
		field{name: "exclude", read: func() {
			s.list(func() { a.Exclude = append(a.Exclude, s.text(decision.WrongAction)) })
		}},
		field{name: "subject", read: func() { a.Subject = s.text(decision.WrongSubject) }},
		field{name: "features", read: func() {
			s.rows = s.rows[:0]
			s.list(func() { s.rows = append(s.rows, s.numbers()) })
			a.Features = append(a.Features, s.rows...)
		}},
		field{name: "context", read: func() { a.Context = s.described(shape.Names.OfContext()) }},
		field{name: "actions", read: func() {
			switch {
			case shape.Names.Own():
				a.Named = decodeNames(s, "this peer's actions have one feature each, which it makes; send names alone")
				return
			case shape.Inputs.Action == 0:
				a.Named = decodeNames(s, "this peer's learner takes no features; send names alone")
				return
			}
			a.Actions = []decision.Action{} // an empty list differs from a missing one
			s.list(func() { a.Actions = append(a.Actions, decodeAction(s, shape.Names.OfAction())) })
		}},
		field{name: "taken", read: func() {
			a.Taken = new(decision.Taken)
			s.object(
				field{name: "action", need: true, read: func() { a.Taken.Action = s.text(decision.WrongAction) }},
				field{name: "propensity", need: true, read: func() {
					a.Taken.Propensity = s.float(decision.LeastPropensity, 1, decision.WrongPropensity(0))
				}},
			)
		}},
		field{name: "table", read: func() { a.Table = s.text(decision.WrongID) }},
		field{name: "keep", read: func() { a.Keep = s.truth() }},
	)
	if len(s.flaws) > 0 {
		return a
	}
	if r := shape.Check(&a); r != nil {
		s.within(r.Field, func() { s.flaw(r.Reason) })
	}
	return a
}

// decodeNames reads a list of actions, each by its name or as an object with it. Features are refused for a reason.
func decodeNames(s *scanner, why string) []string {
	names, featured := []string{}, false // an empty list differs from a missing one
	s.list(func() {
		if s.peek() != '{' {
			names = append(names, s.text(decision.WrongAction))
			return
		}
		s.object(
			field{name: "id", need: true, read: func() { names = append(names, s.text(decision.WrongAction)) }},
			field{name: "features", read: func() { featured = true; s.raw() }},
		)
	})
	switch {
	case featured:
		s.flaw(why)
	case len(names) == 0 && len(s.flaws) == 0:
		s.flaw("want the name of one action at least, or leave the field out")
	}
	return names
}

func decodeAction(s *scanner, by *decision.Encoding) (a decision.Action) {
	s.object(
		field{name: "id", need: true, read: func() { a.ID = s.text(decision.WrongAction) }},
		field{name: "features", need: true, read: func() { a.Features = s.described(by) }},
	)
	return a
}

// reader returns how a report of a value in a range is read.
func reader(least, most float64) func(*scanner) decision.Report {
	want := fmt.Sprintf("want a number from %v to %v", least, most)
	return func(s *scanner) (r decision.Report) {
		r.Empty = true
		is := s.object(
			field{name: "id", need: true, read: func() { r.ID = s.text(decision.WrongID) }},
			field{name: "value", read: func() { r.Value, r.Empty = bandit.Reward(s.float(least, most, want)), false }},
			field{name: "end", read: func() { r.End = s.truth() }},
			field{name: "report", read: func() { r.Part = s.text(decision.WrongID) }},
		)
		if is && r.Empty && !r.End {
			s.within("value", func() { s.flaw("is missing; want one, unless end is true") })
		}
		return r
	}
}

// decodeOne reads a body that holds one item.
func decodeOne[T any](b []byte, read func(*scanner) T) (item[T], error) {
	s, err := newScanner(b)
	if err != nil {
		return item[T]{}, err
	}
	v := read(s)
	return item[T]{v, s.flaws}, nil
}

// decodeBatch reads a body that has a list of items under a name. The flaws are those that
// concern the whole body; every item has its own.
func decodeBatch[T any](b []byte, name string, read func(*scanner) T) ([]item[T], []Flaw, error) {
	s, err := newScanner(b)
	if err != nil {
		return nil, nil, err
	}
	var items []item[T]
	s.object(field{name: name, need: true, read: func() {
		whole := s.flaws
		s.list(func() {
			s.flaws = nil
			v := read(s)
			items = append(items, item[T]{v, s.flaws})
			s.flaws = whole
		})
		if len(items) == 0 && len(s.flaws) == 0 {
			s.flaw("is empty")
		}
	}})
	return items, s.flaws, nil
}
