package plan

import (
	"fmt"

	"peerd.dev/internal/config"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol"
)

// rawConstraints are about what follows from raw records, one for each key that says so.
func rawConstraints() (all []config.Constraint) {
	for _, x := range []struct {
		key, without string
		is           func(printed.Raw) bool
	}{
		{"experiment.raw.choices", "false", func(r printed.Raw) bool { return r.Choices }},
		{"experiment.raw.news", "0", func(r printed.Raw) bool { return r.News > 0 }},
	} {
		all = append(all, config.Constraint{Keys: []string{x.key, "mode", "protocol.name"}, Broken: func(s *config.Settings) string { // What follows from raw records is for lockstep, and for batches of one estimator.
			p := s.ProtocolParams()
			switch {
			case !x.is(ExperimentOf(s).Raw):
				return ""
			case s.Mode == config.Live:
				return fmt.Sprintf("want %s with %s; what follows from raw records is not private", x.without, s.With("mode"))
			case !protocol.TraitsOf(p).Wide || p.Cadence().Lanes > 1:
				return fmt.Sprintf("want %s with %s; papers take raw records where sites release batches for one estimator", x.without, s.With("protocol.name"))
			}
			return ""
		}})
	}
	return all
}
