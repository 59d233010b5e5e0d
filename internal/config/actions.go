package config

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
)

// Actions are the actions of a version of a network. Every arm that ever existed keeps its place;
// spare places have the empty name, and come last.
type Actions struct {
	Names  []string     // by place
	Absent []bandit.Arm // places that are not chosen: retired and spare
}

// mostArms bounds the arms of a network.
const mostArms = 1000

// places returns how many arms there is room for.
func (s *Settings) places() int { return len(s.Arms) + int(s.SpareArms) }

// Actions returns the actions of a network; nil means one in which none were added or retired.
func (s *Settings) Actions(n *Network) (a Actions) {
	var retired []string
	a.Names = slices.Clone(s.Arms)
	if n != nil {
		a.Names, retired = append(a.Names, n.Added...), n.Retired
	}
	for i, name := range a.Names {
		if slices.Contains(retired, name) {
			a.Absent = append(a.Absent, bandit.Arm(i))
		}
	}
	for i := len(a.Names); i < s.places(); i++ {
		a.Names, a.Absent = append(a.Names, ""), append(a.Absent, bandit.Arm(i))
	}
	return a
}

// checkActions returns why a network cannot have the arms that were added or retired in it; nil
// if it can. Names are checked when they come in, so that a network goes on with names that earlier builds accepted.
func (s *Settings) checkActions(was, n *Network) error {
	if len(n.Added)+len(n.Retired) == 0 {
		return nil
	}
	if s.Cadence().Epochs > 0 {
		return Failf(ErrRefused, "no action can be added or retired with %s, in whose epochs all of them are explored", s.With("protocol.name"))
	}
	if len(n.Added) > int(s.SpareArms) {
		return Failf(ErrRefused, "there is room for %d more actions and not for %d, since the network began with %s", s.SpareArms, len(n.Added), s.With("spare_arms"))
	}
	all := slices.Concat(s.Arms, n.Added)
	for i := len(s.Arms) + len(was.Added); i < len(all); i++ {
		name := all[i]
		if why := nameTrouble(name); why != "" {
			return Failf(ErrRefused, "the name %q %s: choose another one", name, why)
		}
		if slices.ContainsFunc(all[:i], func(o string) bool { return sameName(o, name) }) {
			return Failf(ErrRefused, "there is an action %q, or was one: choose another name", name)
		}
	}
	for _, name := range n.Retired {
		if !slices.Contains(all, name) {
			return Failf(ErrRefused, "there is no action %q; `peerd network show` lists them", name)
		}
	}
	if left := len(all) - len(n.Retired); left < 2 {
		return Failf(ErrRefused, "two actions have to be left, not %d", left)
	}
	return nil
}

// actionConstraints are the rules of actions, and of room for actions that a network can add.
func actionConstraints() []Constraint {
	return []Constraint{
		{[]string{"api.fallback", "arms"}, "The fallback is one of the actions.", func(s *Settings) string {
			f := s.API.Fallback
			return when(f != "" && !slices.Contains(s.Arms, f), "want one of %s, or nothing", s.With("arms"))
		}},
		{[]string{"learner.name", "world.kind"}, "A learner by public vectors is given some.", func(s *Settings) string {
			if l := bandit.TraitsOf(s.LearnerParams()); !l.Vectored || len(l.Vectors) > 0 {
				return ""
			}
			if s.Simulated().Features > 0 {
				return "" // these, or said above
			}
			return fmt.Sprintf("want learner.%s.vectors, a row of numbers for each of arms, with %s, whose actions have none", s.Learner.Name, s.With("world.kind"))
		}},
		{[]string{"spare_arms", "learner.name"}, "What is known of a parameter is known of every action.", func(s *Settings) string {
			l := bandit.TraitsOf(s.LearnerParams())
			if l.Vectored && s.SpareArms > 0 {
				return fmt.Sprintf("want 0 with %s, which has to know the vector of every arm from the start", s.With("learner.name"))
			}
			return when(l.Contextual && s.SpareArms > 0,
				"want 0 with %s, which chooses by features: actions come and go with every decision", s.With("learner.name"))
		}},
		{[]string{"spare_arms", "arms"}, "All arms have a place.", func(s *Settings) string {
			most := mostArms - len(s.Arms)
			return when(int(s.SpareArms) > most, "want at most %d with %s", most, s.With("arms"))
		}},
		{[]string{"spare_arms", "protocol.name"}, "In epochs all arms are explored.", func(s *Settings) string {
			return when(s.SpareArms > 0 && s.Cadence().Epochs > 0,
				"want 0 with %s, in whose epochs all actions are explored", s.With("protocol.name"))
		}},
	}
}
