package main

import (
	"fmt"
	"slices"
)

// Validate returns everything that is wrong with s, in the order of the schema:
// first what each key's own rule refuses, then, of the keys that are good alone,
// what does not go together.
func (s *Settings) Validate() []Problem { return s.validate(make(map[string]bool)) }

// validate passes over keys that are bad already, and marks those that it finds.
func (s *Settings) validate(bad map[string]bool) []Problem {
	var problems []Problem
	for _, k := range schema() {
		if bad[k.Name] {
			continue
		}
		v := s.value(k.Name)
		if reason := k.rule.check(v); reason != "" {
			bad[k.Name] = true
			problems = append(problems, Problem{Key: k.Name, Value: short(valueText(v.Interface())), Reason: reason})
		}
	}
	problems = append(problems, s.validateTogether(bad)...)
	sortProblems(problems)
	return problems
}

// A pact is a rule across keys.
type pact struct {
	keys []string // the first is refused; none of them is bad alone
	doc  string   // one sentence
	// broken returns how to mend s, naming the other keys; "" if the pact holds.
	broken func(s *Settings) string
}

// pacts lists all rules across keys.
func pacts() []pact {
	var all []pact
	for _, part := range [][]pact{privacyPacts(), protocolPacts(), worldPacts(), runPacts()} {
		all = append(all, part...)
	}
	return all
}

func (s *Settings) validateTogether(bad map[string]bool) []Problem {
	var problems []Problem
	for _, p := range pacts() {
		if slices.ContainsFunc(p.keys, func(key string) bool { return bad[key] }) {
			continue
		}
		if reason := p.broken(s); reason != "" {
			problems = append(problems, Problem{
				Key: p.keys[0], Value: short(valueText(s.value(p.keys[0]).Interface())), Reason: reason,
			})
		}
	}
	return problems
}

// with writes a key and its value as they stand in a message.
func (s *Settings) with(key string) string {
	return fmt.Sprintf("%s: %s", key, short(valueText(s.value(key).Interface())))
}

// short cuts what is too long for one line of a message.
func short(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
