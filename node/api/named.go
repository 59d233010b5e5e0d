package api

import (
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
	case at != '{':
		s.other("want an object with " + by.Names() + ", or a list of numbers")
		return nil
	}
	x, fields := by.Begin(), make([]field, len(by.Features))
	for k, f := range by.Features {
		fields[k] = field{name: f.Name, need: true, want: "; " + f.Want(), read: func() { s.feature(by, k, x) }}
	}
	s.object(fields...)
	return x
}

// feature reads the value of a feature into x.
func (s *scanner) feature(by *decision.Encoding, k int, x []float64) {
	f := &by.Features[k]
	if f.Categories == nil {
		by.SetNumber(x, k, s.float(f.Low, f.High, f.Want()))
		return
	}
	if s.peek() != '"' {
		s.other(f.Want())
		return
	}
	at := slices.Index(f.Categories, s.str())
	if at < 0 {
		s.flaw(f.Want())
		return
	}
	by.SetCategory(x, k, at)
}
