package config

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

func worldConstraints() []Constraint {
	return []Constraint{
		{[]string{"arms", "world.kind"}, "A world that has its own arms knows how many.", func(s *Settings) string {
			params := s.WorldParams()
			if field, _ := world.Check(params, s.worldConfig(s.SitesOf(s.Testnet.Nodes))); field != "" {
				return "" // said of the parameter
			}
			if n := world.TraitsOf(params).Arms; n > 0 && n != len(s.Arms) {
				return fmt.Sprintf("want %d names with %s, which has as many arms", n, s.With("world.kind"))
			}
			return ""
		}},
		{[]string{"world.kind", "learner.name"}, "A learner that chooses by features has a world with as many, and others one without.", func(s *Settings) string {
			if s.World.Kind == Application {
				return "" // which sends what the learner wants
			}
			w, l := world.TraitsOf(s.WorldParams()), bandit.TraitsOf(s.LearnerParams())
			if l.Vectored && (len(l.Vectors) > 0 || w.Vectors) {
				return ""
			}
			n, wanted := w.Features, 0
			if l.Contextual {
				if _, err := s.statistic(); err != nil {
					return ""
				}
				wanted = l.Inputs.Dim()
			}
			switch {
			case l.Vectored && n > 0:
				return fmt.Sprintf("want actions that stay the same with %s, which knows them before it chooses: set world.%s.draw to another value", s.With("learner.name"), s.World.Kind)
			case n == wanted:
				return ""
			case wanted == 0:
				return fmt.Sprintf("want a world without features with %s, which makes nothing of them", s.With("learner.name"))
			case n == 0:
				return fmt.Sprintf("want a world with features with %s, which chooses by them", s.With("learner.name"))
			}
			return fmt.Sprintf("want world.%s.features: %d with %s, which takes as many", s.World.Kind, wanted, s.With("learner.name"))
		}},
		{[]string{"learner.name", "world.kind"}, "A learner by public vectors is given some.", func(s *Settings) string {
			if l := bandit.TraitsOf(s.LearnerParams()); !l.Vectored || len(l.Vectors) > 0 {
				return ""
			}
			if world.TraitsOf(s.WorldParams()).Features > 0 {
				return "" // these, or said above
			}
			return fmt.Sprintf("want learner.%s.vectors, a row of numbers for each of arms, with %s, whose actions have none", s.Learner.Name, s.With("world.kind"))
		}},
		{[]string{"world.kind", "mode"}, "An application's rewards are people's, so it is for mode live alone.", func(s *Settings) string {
			if s.World.Kind == Application && s.Mode == Lockstep {
				return fmt.Sprintf("want a simulated one with %s, which protects no one", s.With("mode"))
			}
			return ""
		}},
		{[]string{"world.traffic", "world.kind"}, "An application asks when it has a decision to make.", func(s *Settings) string {
			if s.World.Kind == Application && slices.Min(s.World.Traffic) < 1 {
				return fmt.Sprintf("want [1] with %s, which asks when it has a decision to make", s.With("world.kind"))
			}
			return ""
		}},
		{[]string{"experiment.coverage", "world.kind"}, "Coverage is of means that stay.", func(s *Settings) string {
			if world.TraitsOf(s.WorldParams()).Changing && s.Experiment.Coverage {
				return fmt.Sprintf("want false with %s: its means change", s.With("world.kind"))
			}
			return ""
		}},
		{[]string{"api.fallback", "arms"}, "The fallback is one of the actions.", func(s *Settings) string {
			if f := s.API.Fallback; f != "" && !slices.Contains(s.Arms, f) {
				return fmt.Sprintf("want one of %s, or nothing", s.With("arms"))
			}
			return ""
		}},
		{[]string{"world.kind", "mode", "privacy.mechanism"}, "Rewards outside of [0, 1] are for lockstep and Laplace noise.", func(s *Settings) string {
			switch {
			case !s.Unclipped():
				return ""
			case s.Mode != Lockstep:
				return fmt.Sprintf("want rewards in [0, 1] with %s, since the noise is made for them: set world.%s.clip: true", s.With("mode"), s.World.Kind)
			case s.gaussianNoise():
				return fmt.Sprintf("want rewards in [0, 1] with %s, since Gaussian noise is calibrated for them alone: set world.%s.clip: true", s.With("privacy.mechanism"), s.World.Kind)
			}
			return ""
		}},
	}
}

// worldConfig returns what the parameters of a world of a number of sites have to suit.
func (s *Settings) worldConfig(sites int) world.Config {
	return world.Config{Arms: len(s.Arms), Sites: sites, RecordsPerUser: s.Privacy.RecordsPerUser}
}

// SitesOf returns how many of the first peers of a network have arms. Each of them has a site
// of the world, in the order of peers.
func (s *Settings) SitesOf(peers int) int {
	return protocol.Learners(s.ProtocolParams(), peers)
}

// validateWorld asks the chosen world whether its parameters suit a network of a number of
// peers. bad keys are passed over.
func (s *Settings) validateWorld(peers int, bad map[string]bool) []Problem {
	prefix, sites := "world."+s.World.Kind+".", s.SitesOf(peers)
	if s.World.Kind == Application || peers > 0 && sites == 0 || anyBad(bad, prefix, "world.kind", "arms", "testnet.nodes", "privacy.records_per_user") {
		return nil
	}
	if want := world.CheckTraffic(s.World.Traffic, sites); want != "" && !bad["world.traffic"] {
		return s.refused("world.", "traffic", want)
	}
	field, want := world.Check(s.WorldParams(), s.worldConfig(sites))
	return s.refused(prefix, field, want)
}
