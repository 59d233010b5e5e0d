package api

import (
	"fmt"
	"slices"

	"peerd.dev/node/decision"
)

// described reads features: a list of numbers or, if they have names, an object of their values, which yields the same
// numbers.
func (s *scanner) described(by *decision.Encoding) []float64 {
	switch at := s.peek(); {
	case by == nil && at == '{':
		s.other("want a list of numbers; values by name are for a network that names features (features.context, features.action)")
		return nil
	case by == nil || at == '[':
		return s.numbers()
	}
	x, seen := by.Begin(), make([]bool, len(by.Features))
	if !s.enter('{') {
		s.other("want an object with " + by.Names() + ", or a list of numbers")
		return nil
	}
	for first := true; s.next(first, '}'); first = false {
		name := s.name()
		if s.err != nil {
			return nil
		}
		k := by.Find(name)
		s.within(name, func() {
			switch {
			case k < 0:
				s.other("is no feature here; they are " + by.Names())
			case seen[k]:
				s.other("is given twice")
			default:
				seen[k] = true
				s.feature(by, k, x)
			}
		})
	}
	for k, f := range by.Features {
		if !seen[k] && s.err == nil {
			s.within(f.Name, func() { s.flaw(fmt.Sprintf("is missing; %s", f.Want())) })
		}
	}
	return x
}

// feature reads the value of a feature into x.
func (s *scanner) feature(by *decision.Encoding, k int, x []float64) {
	f := &by.Features[k]
	s.spare = false
	if f.Categories == nil {
		by.SetNumber(x, k, s.float(f.Low, f.High, f.Want()))
		return
	}
	if s.peek() != '"' {
		s.other(f.Want())
		return
	}
	at := slices.Index(f.Categories, s.str())
	switch {
	case s.err != nil:
	case at < 0:
		s.flaw(f.Want())
	default:
		by.SetCategory(x, k, at)
	}
}
