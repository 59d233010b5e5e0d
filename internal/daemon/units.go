package daemon

import (
	"slices"

	"peerd.dev/node"
	"peerd.dev/node/site"
)

// inUnits puts what a status says of rewards into the application's units. What is learned and released is in units of the range.
func inUnits(s *node.Status, r site.Range) {
	s.Means, s.Noise, s.Support.Alike = slices.Clone(s.Means), slices.Clone(s.Noise), slices.Clone(s.Support.Alike)
	for k := range s.Means {
		if s.Samples[k] > 0 { // 0 stands for no estimate
			s.Means[k] = r.Mean(s.Means[k])
		}
		s.Noise[k] *= r.Width()
	}
	for i := range s.Support.Alike {
		s.Support.Alike[i].Mean *= r.Width()
	}
	s.Parameter.Error *= r.Width()
}
