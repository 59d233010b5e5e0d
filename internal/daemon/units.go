package daemon

import (
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/node"
)

// inUnits puts what a status says of rewards into the application's units. What is learned and released is in units of the range.
func (t *Deployment) inUnits(s *node.Status) {
	r, means := t.s.API.Range(), !bandit.TraitsOf(t.Spec.Learner).Contextual // by features an arm has none
	s.Means, s.Noise, s.Support.Alike = slices.Clone(s.Means), slices.Clone(s.Noise), slices.Clone(s.Support.Alike)
	for k := range s.Means {
		if means && s.Samples[k] > 0 { // 0 stands for no estimate
			s.Means[k] = r.Mean(s.Means[k])
		}
		s.Noise[k] *= r.Width()
	}
	for i := range s.Support.Alike {
		s.Support.Alike[i].Mean *= r.Width()
	}
	s.Parameter.Error *= r.Width()
}
