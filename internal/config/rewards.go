package config

import "peerd.dev/node/site"

// rewardConstraints are the rules of rewards across keys.
func rewardConstraints() []Constraint {
	return []Constraint{
		{[]string{"api.default_reward", "api.reward_range"}, func(s *Settings) string {
			r := s.API.Range()
			low, high := r.Ends()
			return When(!r.Has(s.API.DefaultReward), "want a number from %v to %v, by %s", low, high, s.With("api.reward_range"))
		}},
		{[]string{"api.reward_range", "world.kind"}, func(s *Settings) string {
			return When(s.World.Kind != Application && s.API.Range() != (site.Range{0, 1}),
				"want [0, 1] with %s, which pays rewards from 0 to 1", s.With("world.kind"))
		}},
	}
}
