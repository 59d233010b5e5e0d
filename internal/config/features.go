package config

import (
	"fmt"
	"reflect"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// Features are what an application describes a decision by, with names.
type Features struct {
	Context []string `want:"features" default:"[]" shared:"yes" fixed:"yes" later:"yes" doc:"Features of the context by name: a number in a range, or one of several words. An application sends their values; features and context of the learner follow. Without features.action each action has a feature of its own."` // of the decision
	Action  []string `want:"features" default:"[]" shared:"yes" fixed:"yes" later:"yes" doc:"The same of an action."`                                                                                                                                                                                                      // of each action; none if it has only a feature of its own
}

// Names returns the named features; nil if there are none, or they are refused elsewhere.
func (s *Settings) Names() *decision.Names {
	n, err := decision.ParseNames(s.Features.Context, s.Features.Action)
	if err != nil {
		return nil
	}
	return n
}

func encodingRule() Rule {
	want := "a list of names, each with = and a range, as in hour=0..24, or with = and categories between vertical bars"
	return Rule{want, func(v reflect.Value) string {
		if _, err := decision.ParseEncoding(v.Interface().([]string)); err != nil {
			return "want " + want + "; " + err.Error()
		}
		return ""
	}}
}

// inputKeys returns the keys of the numbers that the chosen learner takes, if it takes any and has such keys.
func (s *Settings) inputKeys() (features, context, by string, ok bool) {
	prefix := "learner." + s.Learner.Name + "."
	features, context, by = prefix+"features", prefix+"context", prefix+"map"
	for _, key := range []string{features, context, by} {
		if _, known := s.Schema().Find(key); !known {
			return "", "", "", false
		}
	}
	return features, context, by, bandit.TraitsOf(s.LearnerParams()).Contextual
}

// suitFeatures takes how many numbers the learner takes from the names of features, where nothing else sets it.
func (c *Config) suitFeatures() {
	n := c.Names()
	features, context, by, ok := c.inputKeys()
	if n == nil || !ok {
		return
	}
	in := n.Inputs(max(1, len(c.Arms)))
	follow := func(key string, value any) {
		if k, _ := c.Schema().Find(key); c.From[key] == FromDefault || c.Value(key).IsZero() {
			c.put(k, reflect.ValueOf(value))
		}
	}
	follow(features, in.Action)
	follow(context, in.Context)
	if in.Context > 0 {
		follow(by, in.Map)
	}
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

// featureConstraints are the rules of named features.
func featureConstraints() []Constraint {
	var all []Constraint
	for _, key := range []string{contextKey, actionKey} {
		all = append(all,
			Constraint{[]string{key, "learner.name"}, "Features are for learners that choose by them.", func(s *Settings) string {
				_, _, _, ok := s.inputKeys()
				return when(s.Value(key).Len() > 0 && !ok, "want [] with %s, which takes no features; or learner.name: linucb", s.With("learner.name"))
			}},
			Constraint{[]string{key, "world.kind"}, "Features have names for an application.", func(s *Settings) string {
				return when(s.Value(key).Len() > 0 && s.World.Kind != Application, "want [] with %s, which offers numbers", s.With("world.kind"))
			}},
		)
	}
	return all
}
