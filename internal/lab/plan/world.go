package plan

import (
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/node/lab/world"
)

func worldConstraints() []config.Constraint {
	return []config.Constraint{
		{Keys: []string{"spare_arms", "world.kind"}, Broken: func(s *config.Settings) string { // A simulated world has all its arms from the start.
			return config.When(s.SpareArms > 0 && s.World.Kind != config.Application,
				"want 0 with %s, whose arms are all there from the start", s.With("world.kind"))
		}},
		{Keys: []string{"arms", "world.kind"}, Broken: func(s *config.Settings) string { // A world that has its own arms knows how many.
			params := WorldParams(s)
			if field, _ := world.Check(params, worldConfig(s, s.SitesOf(TestnetOf(s).Nodes))); field != "" {
				return "" // said of the parameter
			}
			if n := world.TraitsOf(params).Arms; n > 0 && n != len(s.Arms) {
				return fmt.Sprintf("want %d names with %s, which has as many arms", n, s.With("world.kind"))
			}
			return ""
		}},
		{Keys: []string{"world.kind", "learner.name"}, Broken: func(s *config.Settings) string { // A learner that chooses by features has a world with as many, and others one without.
			if s.World.Kind == config.Application {
				return "" // which sends what the learner wants
			}
			w, l := world.TraitsOf(WorldParams(s)), bandit.TraitsOf(s.LearnerParams())
			n, wanted := w.Features, 0
			if l.Contextual {
				if _, err := s.Statistic(); err != nil {
					return ""
				}
				wanted = l.Inputs.Dim()
			}
			switch {
			case n == wanted:
				return ""
			case wanted == 0:
				return fmt.Sprintf("want a world without features with %s, which makes nothing of them", s.With("learner.name"))
			case n == 0:
				return fmt.Sprintf("want a world with features with %s, which chooses by them", s.With("learner.name"))
			}
			return fmt.Sprintf("want world.%s.features: %d with %s, which takes as many", s.World.Kind, wanted, s.With("learner.name"))
		}},
		{Keys: []string{"world.kind", "mode"}, Broken: func(s *config.Settings) string { // An application's rewards are people's, so it is for mode live alone.
			return config.When(s.World.Kind == config.Application && s.Mode == config.Lockstep,
				"want a simulated one with %s, which protects no one", s.With("mode"))
		}},
		{Keys: []string{"world.kind", "world.traffic", "world.late.sites", "world.late.life"}, Broken: func(s *config.Settings) string { // An application asks when it has a decision to make.
			if key := WorldOf(s).pauses(); s.World.Kind == config.Application && key != "" {
				return fmt.Sprintf("want a simulated world with %s; an application asks when it has a decision to make", s.With(key))
			}
			return ""
		}},
		{Keys: []string{"world.late.every", "world.late.sites", "rounds.count", "privacy.horizon"}, Broken: func(s *config.Settings) string { // Every site begins before the run ends.
			late, rounds := WorldOf(s).Late, s.RoundCount()
			if last := uint64(late.Sites) * late.Every; late.Sites > 0 && last >= rounds {
				return fmt.Sprintf("want less, or fewer sites than with %s: the last one begins in round %d, and the run ends before round %d by %s and %s", s.With("world.late.sites"), last, rounds, s.With("rounds.count"), s.With("privacy.horizon"))
			}
			return ""
		}},
		{Keys: []string{"experiment.coverage", "world.kind"}, Broken: func(s *config.Settings) string { // Coverage is of means that stay.
			return config.When(world.TraitsOf(WorldParams(s)).Changing && ExperimentOf(s).Coverage,
				"want false with %s: its means change", s.With("world.kind"))
		}},
		{Keys: []string{"experiment.noise", "privacy.mechanism", "learner.name"}, Broken: func(s *config.Settings) string { // Papers print noise for records with features in a tree.
			return config.When(ExperimentOf(s).Noise != tightNoise && (s.Privacy.Mechanism != dp.TreeGaussian.String() || !bandit.TraitsOf(s.LearnerParams()).Contextual),
				"want %s with %s and %s; papers print noise for records with features in %s", tightNoise, s.With("privacy.mechanism"), s.With("learner.name"), dp.TreeGaussian)
		}},
		{Keys: []string{"world.kind", "mode", "privacy.mechanism", "privacy.counts"}, Broken: func(s *config.Settings) string { // Rewards outside of [0, 1] are for lockstep, Laplace noise and public counts.
			switch {
			case !Unclipped(s):
				return ""
			case s.Mode != config.Lockstep:
				return fmt.Sprintf("want rewards in [0, 1] with %s, since the noise is made for them: set world.%s.clip: true", s.With("mode"), s.World.Kind)
			case gaussian(s):
				return fmt.Sprintf("want rewards in [0, 1] with %s, since Gaussian noise is calibrated for them alone: set world.%s.clip: true", s.With("privacy.mechanism"), s.World.Kind)
			case s.Privacy.Counts == config.NoisedCounts:
				return fmt.Sprintf("want rewards in [0, 1] with %s: set world.%s.clip: true", s.With("privacy.counts"), s.World.Kind)
			}
			return ""
		}},
	}
}

// gaussian reports whether the mechanism draws Gaussian noise.
func gaussian(s *config.Settings) bool {
	m, err := dp.ParseMechanism(s.Privacy.Mechanism)
	return err == nil && m.Law() == dp.Gaussian
}
