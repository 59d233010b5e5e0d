package config

import (
	"errors"
	"fmt"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// WeakEpsilon is the budget above which a promise means almost nothing: a likelihood ratio of
// e^10.
const WeakEpsilon = 10

// weakDelta is the δ above which it means nothing either: a mechanism that publishes each user
// with that probability keeps it.
const weakDelta = 1e-3

func privacyConstraints() []Constraint {
	return []Constraint{
		{[]string{"privacy.epsilon", "mode"}, func(s *Settings) string { // A budget of inf is for lockstep alone: it protects no one.
			return When(s.Mode == Live && s.Privacy.Epsilon.Infinite(), "want a finite number with %s; inf protects no one", s.With("mode"))
		}},
		{[]string{"privacy.epsilon", "privacy.accept_weak"}, func(s *Settings) string { // A finite budget over 10 must be accepted.
			e := s.Privacy.Epsilon
			return When(e > WeakEpsilon && !e.Infinite() && !s.Privacy.AcceptWeak,
				"want at most %d with %s; a larger one protects almost no one", WeakEpsilon, s.With("privacy.accept_weak"))
		}},
		{[]string{"privacy.delta", "privacy.mechanism"}, func(s *Settings) string { // Gaussian noise needs a delta, and Laplace noise none.
			m, err := dp.ParseMechanism(s.Privacy.Mechanism)
			switch gaussian := err == nil && m.Law() == dp.Gaussian; {
			case gaussian && s.Privacy.Delta == 0:
				return fmt.Sprintf("want a small probability, such as 0.000001, with %s, whose noise is Gaussian", s.With("privacy.mechanism"))
			case !gaussian && s.Privacy.Delta != 0:
				return fmt.Sprintf("want 0 with %s, whose epsilon is never exceeded", s.With("privacy.mechanism"))
			}
			return ""
		}},
		{[]string{"privacy.mechanism", "learner.name"}, func(s *Settings) string { // What learners by features add up gets Gaussian noise.
			if m, err := dp.ParseMechanism(s.Privacy.Mechanism); err == nil && s.laplaceOnFeatures(m) {
				suits := s.Schema().with.mechanisms(func(m dp.Mechanism) bool { return m.Law() == dp.Gaussian })
				return fmt.Sprintf("want one of %s with %s, since Laplace noise for so long vectors would be far larger", strings.Join(suits, ", "), s.With("learner.name"))
			}
			return ""
		}},
		{[]string{"privacy.adjacency", "learner.name"}, func(s *Settings) string { // Centred rewards are private against any others.
			if statistic, err := s.Statistic(); err == nil && statistic.Kind == bandit.Centred && s.Privacy.Adjacency == dp.ZeroOut.String() {
				return fmt.Sprintf("want %s with %s and centred rewards, of which 0 adds something", dp.ReplaceOne, s.With("learner.name"))
			}
			return ""
		}},
		{[]string{"privacy.delta", "privacy.accept_weak"}, func(s *Settings) string { // A delta over 0.001 must be accepted.
			return When(s.Privacy.Delta > weakDelta && !s.Privacy.AcceptWeak,
				"want at most %v with %s; everything about that share of users could be revealed", weakDelta, s.With("privacy.accept_weak"))
		}},
		{[]string{"privacy.horizon", "privacy.mechanism"}, func(s *Settings) string { // Noise that grows with the horizon needs one.
			if m, err := dp.ParseMechanism(s.Privacy.Mechanism); err == nil && m.Running() && s.Privacy.Horizon == 0 {
				return fmt.Sprintf("want the number of rounds that the budget has to cover, such as 10000, with %s, whose noise grows with it", s.With("privacy.mechanism"))
			}
			return ""
		}},
		{[]string{"privacy.mechanism", "mode"}, func(s *Settings) string { // Only lockstep goes without noise.
			return When(s.Mode == Live && s.Privacy.Mechanism == dp.None.String(),
				"want another one with %s; none protects no one", s.With("mode"))
		}},
		{[]string{"privacy.counts", "protocol.name", "learner.name", "world.kind"}, func(s *Settings) string { // Counts are noised where nothing rests on exact ones.
			if s.Privacy.Counts != NoisedCounts {
				return ""
			}
			spec, err := s.Spec(make([][]protocol.Peer, 1), "")
			if err == nil {
				err = spec.CheckCounts()
			}
			if err == nil {
				return ""
			}
			return fmt.Sprintf("want %s with %s, %s and %s; %s", PublicCounts, s.With("protocol.name"), s.With("learner.name"), s.With("world.kind"), strings.TrimPrefix(err.Error(), "node: "))
		}},
		{[]string{"api.min_exposures", "privacy.counts", "world.kind"}, func(s *Settings) string { // With noised counts no action is chosen because few decisions were for it.
			return When(s.Privacy.Counts == NoisedCounts && s.World.Kind == Application && s.API.MinExposures > 0,
				"want 0 with %s: which action is exposed next would show how many decisions there were before", s.With("privacy.counts"))
		}},
		{[]string{"api.min_exposures", "learner.name", "world.kind"}, func(s *Settings) string { // With features no action is chosen because few decisions were for it.
			return When(bandit.TraitsOf(s.LearnerParams()).Contextual && s.World.Kind == Application && s.API.MinExposures > 0,
				"want 0 with %s: actions follow from the features of users, and the next user's must not follow from those before", s.With("learner.name"))
		}},
		{[]string{"privacy.mechanism", "privacy.epsilon", "mode"}, func(s *Settings) string { // Going without noise and a budget of inf belong together.
			none, inf := s.Privacy.Mechanism == dp.None.String(), s.Privacy.Epsilon.Infinite()
			switch {
			case s.Mode == Live || none == inf:
				return ""
			case none:
				return fmt.Sprintf("want another one with %s; only inf pays for no noise", s.With("privacy.epsilon"))
			}
			return fmt.Sprintf("want none with %s; a finite budget is what sets the noise", s.With("privacy.epsilon"))
		}},
		{
			[]string{
				"privacy.records_per_user", "privacy.epsilon", "privacy.delta", "privacy.horizon", "privacy.mechanism", "privacy.adjacency", "testnet.nodes",
				"arms", "protocol.name", "learner.name",
			}, func(s *Settings) string { // The budget pays for the noise, which is a number that can be drawn.
				m, err := dp.ParseMechanism(s.Privacy.Mechanism)
				if err != nil || m == dp.None || s.Simulated().Unclipped || s.laplaceOnFeatures(m) || s.Privacy.Epsilon.Infinite() || (m.Law() == dp.Gaussian) != (s.Privacy.Delta > 0) {
					return "" // said elsewhere
				}
				_, err = s.Charge()
				if short := new(dp.BudgetError); errors.As(err, &short) {
					return fmt.Sprintf("want fewer, more noise or a larger budget than %s; %s", s.With("privacy.epsilon"), strings.TrimPrefix(err.Error(), "dp: "))
				}
				if err != nil {
					return fmt.Sprintf("want fewer with %s and %s; %s", s.With("privacy.epsilon"), s.With("privacy.horizon"), strings.TrimPrefix(err.Error(), "dp: "))
				}
				return ""
			},
		},
	}
}

// laplaceOnFeatures reports whether a mechanism would draw Laplace noise for a learner by
// features.
func (s *Settings) laplaceOnFeatures(m dp.Mechanism) bool {
	return bandit.TraitsOf(s.LearnerParams()).Contextual && m != dp.None && m.Law() == dp.Laplace
}
