package config

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/protocol"
)

// Validate returns everything that is wrong with s, in the order of the schema: first what each
// key's own rule refuses, then the combinations of valid values that are refused.
func (s *Settings) Validate() []Problem { return s.validate(make(map[string]bool)) }

// invalid returns what Validate finds in addition to known problems.
func (c *Config) invalid(known []Problem) []Problem {
	bad := make(map[string]bool) // never ranged over
	for _, k := range c.Schema().keys {
		bad[k.Name] = named(known, k.Name)
	}
	problems := c.validate(bad)
	for i := range problems {
		p := &problems[i]
		p.From = c.setter(p.Key)
		if c.From[p.Key] == FromNobody {
			p.Value, p.Reason = "", "missing: "+p.Reason
		}
	}
	return problems
}

// Refuse returns the problems as an error, or nil if there are none.
func (c *Config) Refuse(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	c.Schema().sort(problems)
	what := "configuration " + c.File
	if c.File == "" {
		what = "settings without a file (name one with --config)"
	}
	return &Refusal{what, problems}
}

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

// validateLearner asks the chosen learner whether its parameters go together. bad keys are
// passed over.
func (s *Settings) validateLearner(bad map[string]bool) []Problem {
	prefix := "learner." + s.Learner.Name + "."
	if AnyBad(bad, prefix, "learner.name") {
		return nil
	}
	if problems := s.checkFeatures(bad); len(problems) > 0 {
		return problems
	}
	field, want := bandit.Check(s.LearnerParams(), len(s.Arms))
	if field == "context" && len(s.Features.Context) > 0 {
		bad[prefix+field] = true
		return []Problem{s.problem(contextKey, "want fewer numbers and categories: "+want)}
	}
	return s.Refused(prefix, field, want)
}

// CheckProtocol asks the chosen protocol whether its parameters suit a network. bad keys
// are passed over.
func (s *Settings) CheckProtocol(n protocol.Net, bad map[string]bool) []Problem {
	prefix := "protocol." + s.Protocol.Name + "."
	if AnyBad(bad, prefix, "protocol.name", "privacy.horizon", "testnet.nodes", "testnet.topology") {
		return nil
	}
	field, want := protocol.Check(s.ProtocolParams(), n)
	return s.Refused(prefix, field, want)
}

// checkSize returns that the named features make more numbers than a learner takes, in terms of what was given. What follows from them is
// bad then.
func (s *Settings) checkSize(bad map[string]bool) []Problem {
	n := s.Names()
	features, context, _, ok := s.inputKeys()
	if n == nil || !ok || AnyBad(bad, "features.", "learner.name", "arms") {
		return nil
	}
	in, key := n.Inputs(len(s.Arms)), contextKey
	in.Map = bandit.TraitsOf(s.LearnerParams()).Inputs.Map
	if in.Dim() <= bandit.MaxFeatures {
		return nil
	}
	bad[features], bad[context] = true, true
	with := fmt.Sprintf("with %d actions ", len(s.Arms))
	if !n.Own() {
		with = ""
	}
	if in.Context == 0 {
		key = actionKey
	}
	return []Problem{s.problem(key, fmt.Sprintf("want fewer numbers and categories: %sthey make %d numbers, and %d is the most", with, in.Dim(), bandit.MaxFeatures))}
}

// checkFeatures returns which numbers of the learner do not follow from the named features. It passes over bad keys.
func (s *Settings) checkFeatures(bad map[string]bool) []Problem {
	n := s.Names()
	features, context, _, ok := s.inputKeys()
	if n == nil || !ok || AnyBad(bad, "features.", "learner.name", "arms", features, context) {
		return nil
	}
	want, have := n.Inputs(len(s.Arms)), bandit.TraitsOf(s.LearnerParams()).Inputs
	reason := "want %d, which follows from the names of features; leave the key out"
	switch {
	case have.Action != want.Action:
		return []Problem{s.problem(features, fmt.Sprintf(reason, want.Action))}
	case have.Context != want.Context:
		return []Problem{s.problem(context, fmt.Sprintf(reason, want.Context))}
	}
	return nil
}
