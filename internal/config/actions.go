package config

import (
	"slices"

	"peerd.dev/bandit"
)

// actionConstraints are the rules of actions, and of room for actions that a network can add.
func actionConstraints() []Constraint {
	return []Constraint{
		{[]string{"api.fallback", "arms"}, func(s *Settings) string { // The fallback is one of the actions.
			f := s.API.Fallback
			return When(f != "" && !slices.Contains(s.Arms, f), "want one of %s, or nothing", s.With("arms"))
		}},
		{[]string{"spare_arms", "learner.name"}, func(s *Settings) string { // What is known of a parameter is known of every action.
			return When(bandit.TraitsOf(s.LearnerParams()).Contextual && s.SpareArms > 0,
				"want 0 with %s, which chooses by features: actions come and go with every decision", s.With("learner.name"))
		}},
		{[]string{"spare_arms", "arms"}, func(s *Settings) string { // All arms have a place.
			most := mostArms - len(s.Arms)
			return When(int(s.SpareArms) > most, "want at most %d with %s", most, s.With("arms"))
		}},
		{[]string{"spare_arms", "protocol.name"}, func(s *Settings) string { // In epochs all arms are explored.
			return When(s.SpareArms > 0 && s.Cadence().Epochs > 0,
				"want 0 with %s, in whose epochs all actions are explored", s.With("protocol.name"))
		}},
	}
}
