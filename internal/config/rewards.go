package config

import (
	"reflect"

	"peerd.dev/node/site"
)

// Range returns what rewards are from and to, in the application's units.
func (a *API) Range() (r site.Range) {
	copy(r[:], a.RewardRange)
	return r
}

// mostReward bounds the numbers of a range.
const mostReward = 1e9

// twoEnds allows a list of two finite numbers, the smaller first.
func twoEnds() Rule {
	return Holds("two numbers, the smaller first, such as [-1, 1], each from -1000000000 to 1000000000", func(v reflect.Value) bool {
		x := v.Interface().([]float64)
		return len(x) == 2 && -mostReward <= x[0] && x[0] < x[1] && x[1] <= mostReward
	})
}

// rewardConstraints are the rules of rewards across keys.
func rewardConstraints() []Constraint {
	return []Constraint{
		{
			Keys: []string{"api.default_reward", "api.reward_range"},
			Doc:  "api.default_reward is within api.reward_range.",
			Broken: func(s *Settings) string {
				r := s.API.Range()
				low, high := r.Ends()
				return when(!r.Has(s.API.DefaultReward), "want a number from %v to %v, by %s", low, high, s.With("api.reward_range"))
			},
		},
		{
			Keys: []string{"api.reward_range", "world.kind"},
			Doc:  "Simulated worlds pay rewards from 0 to 1, so api.reward_range is [0, 1] with them.",
			Broken: func(s *Settings) string {
				return when(s.World.Kind != Application && s.API.Range() != (site.Range{0, 1}),
					"want [0, 1] with %s, which pays rewards from 0 to 1", s.With("world.kind"))
			},
		},
	}
}
