package config

import (
	"fmt"
	"slices"

	"peerd.dev/protocol"
)

// Validate returns everything that is wrong with s, in the order of the schema: first what each
// key's own rule refuses, then the combinations of valid values that are refused.
func (s *Settings) Validate() []Problem { return s.validate(make(map[string]bool)) }

// validate skips keys that are already bad, and marks those that it finds.
func (s *Settings) validate(bad map[string]bool) []Problem {
	problems := s.checkSize(bad)
	for _, k := range s.Schema().keys {
		if bad[k.Name] {
			continue
		}
		if reason := k.Rule.Check(s.Value(k.Name)); reason != "" {
			bad[k.Name] = true
			problems = append(problems, s.problem(k.Name, reason))
		}
	}
	add := func(found []Problem) {
		for _, p := range found {
			bad[p.Key] = true
			problems = append(problems, p)
		}
	}
	add(s.CheckProtocol(protocol.Net{Horizon: s.Privacy.Rounds()}, bad))
	add(s.checkLaboratory(0, bad))
	add(s.validateLearner(bad))
	problems = append(problems, s.validateTogether(bad)...)
	s.Schema().sort(problems)
	return problems
}

// A Constraint is a rule across keys.
type Constraint struct {
	Keys []string // the first is refused; each of them is valid by itself
	Doc  string   // one sentence
	// Broken returns how to fix s, naming the other keys; "" if the constraint holds.
	Broken func(s *Settings) string
}

// when returns how to fix settings if a constraint is broken.
func when(broken bool, fix string, args ...any) string {
	if !broken {
		return ""
	}
	return fmt.Sprintf(fix, args...)
}

func (s *Settings) validateTogether(bad map[string]bool) []Problem {
	var problems []Problem
	for _, p := range s.Schema().with.Constraints {
		if slices.ContainsFunc(p.Keys, func(key string) bool { return s.isBad(key, bad) }) {
			continue
		}
		if reason := p.Broken(s); reason != "" {
			problems = append(problems, s.problem(p.Keys[0], reason))
		}
	}
	return problems
}

// isBad reports whether a key is bad or, if it chooses an entry, a parameter of that entry is.
func (s *Settings) isBad(key string, bad map[string]bool) bool {
	section, last := cutLast(key)
	if choice := last == "name" || last == "kind"; choice && AnyBad(bad, section+"."+s.chosen(section)+".") {
		return true
	}
	return bad[key]
}

// With writes a key and its value in the form of messages.
func (s *Settings) With(key string) string {
	return fmt.Sprintf("%s: %s", key, short(ValueText(s.Value(key).Interface())))
}

// problem makes a problem of a value of s.
func (s *Settings) problem(key, reason string) Problem {
	return Problem{Key: key, Value: short(ValueText(s.Value(key).Interface())), Reason: reason}
}

// short cuts what is too long for one line of a message.
func short(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
