package plan

import (
	"fmt"
	"reflect"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/protocol"
)

func runConstraints() []config.Constraint {
	return []config.Constraint{
		{Keys: []string{"seed", "mode"}, Broken: func(s *config.Settings) string { // A seed is for lockstep alone: noise from a seed would repeat itself.
			switch {
			case s.Mode == config.Live && s.Seed != 0:
				return fmt.Sprintf("want 0 with %s, since noise from a seed would repeat itself", s.With("mode"))
			case s.Mode == config.Lockstep && s.Seed == 0:
				return fmt.Sprintf("want 1 or more with %s, which takes all its randomness from it", s.With("mode"))
			}
			return ""
		}},
		{Keys: []string{"rounds.count", "privacy.horizon"}, Broken: func(s *config.Settings) string { // A run ends no later than its budget: releases stop at the horizon.
			return config.When(s.Rounds.Count > s.Privacy.Rounds(),
				"want at most %s: releases stop at the horizon", s.With("privacy.horizon"))
		}},
		{Keys: []string{"rounds.count", "privacy.horizon", "mode"}, Broken: func(s *config.Settings) string { // A run in lockstep ends.
			return config.When(s.Mode == config.Lockstep && s.Rounds.Count == 0 && s.Privacy.Horizon == 0,
				"want the number of rounds to play with %s and %s", s.With("mode"), s.With("privacy.horizon"))
		}},
		{Keys: []string{"testnet.topology", "testnet.nodes"}, Broken: func(s *config.Settings) string { // The topology can be built with that many peers.
			n := TestnetOf(s)
			spec, err := graphs.Read(n.Topology, n.Nodes)
			if err == nil {
				err = spec.Validate()
			}
			if err != nil {
				return fmt.Sprintf("want one that suits %s; %s", s.With("testnet.nodes"), strings.TrimPrefix(err.Error(), "topology: "))
			}
			return ""
		}},
		{Keys: []string{"experiment.liars.count", "testnet.nodes"}, Broken: func(s *config.Settings) string { // At least one peer is honest.
			n, liars := TestnetOf(s).Nodes, ExperimentOf(s).Liars
			if liars.Count >= n {
				return fmt.Sprintf("want fewer than %s, so that one peer is honest", s.With("testnet.nodes"))
			}
			if s.SitesOf(n) == 0 {
				return "" // said elsewhere
			}
			for i := range n {
				if protocol.Learns(s.ProtocolParams(), protocol.Peer(i)) && !liars.Is(i, n) {
					return ""
				}
			}
			return fmt.Sprintf("want fewer with %s, so that one peer with arms is honest", s.With("testnet.nodes"))
		}},
		{Keys: []string{"experiment.alone", "experiment.alone_noised", "learner.name", "experiment.coverage"}, Broken: func(s *config.Settings) string { // A site alone releases nothing.
			switch x := ExperimentOf(s); {
			case x.Alone && x.AloneNoised:
				return fmt.Sprintf("want false with %s: a site alone has no noise, or the noise of a network", s.With("experiment.alone_noised"))
			case x.Alone && x.Coverage:
				return fmt.Sprintf("want false, and experiment.alone_noised: true, with %s, which is of releases", s.With("experiment.coverage"))
			case x.Alone && bandit.TraitsOf(s.LearnerParams()).Phased:
				return fmt.Sprintf("want false, and experiment.alone_noised: true, with %s, whose epochs end with releases", s.With("learner.name"))
			}
			return ""
		}},
		{Keys: []string{"privacy.answers", "experiment.alone_noised"}, Broken: func(s *config.Settings) string { // A site that learns from its own releases alone keeps no decisions.
			return config.When(s.Privacy.Answers == config.Inside && ExperimentOf(s).AloneNoised,
				"want anyone with %s: such a site learns from its own releases alone", s.With("experiment.alone_noised"))
		}},
		{Keys: []string{"experiment.listen", "privacy.answers", "mode"}, Broken: func(s *config.Settings) string { // A simulated site that listens keeps its decisions.
			return config.When(ExperimentOf(s).Listen && (s.Privacy.Answers != config.Inside || s.Mode == config.Live),
				"want false with %s and %s: a site that gives nothing keeps all its decisions, and is for simulations", s.With("privacy.answers"), s.With("mode"))
		}},
		{Keys: []string{"experiment.figure.x", "experiment.figure.kind", "experiment.figure.panels"}, Broken: func(s *config.Settings) string { // Final is drawn against something, curves against rounds.
			switch f := ExperimentOf(s).Figure; {
			case len(f.Panels) > 0 && f.X != "":
				return fmt.Sprintf("want nothing with %s", s.With("experiment.figure.panels"))
			case f.Kind == "final" && f.X == "" && len(f.Panels) == 0:
				return fmt.Sprintf("want spectral_gap or a setting that holds a number with %s", s.With("experiment.figure.kind"))
			case f.Kind != "final" && f.X != "":
				return fmt.Sprintf("want nothing with %s", s.With("experiment.figure.kind"))
			}
			return ""
		}},
		{Keys: []string{"experiment.figure.panels", "experiment.figure.kind"}, Broken: func(s *config.Settings) string { // Panels are of regret at the end.
			if f := ExperimentOf(s).Figure; f.Kind == "curves" && len(f.Panels) > 0 {
				return fmt.Sprintf("want [] with %s", s.With("experiment.figure.kind"))
			}
			return ""
		}},
		{Keys: []string{"experiment.figure.regret", "experiment.figure.kind"}, Broken: func(s *config.Settings) string { // Own regret is drawn at the end.
			if f := ExperimentOf(s).Figure; f.Kind == "curves" && f.Regret != "shared" {
				return fmt.Sprintf("want shared with %s", s.With("experiment.figure.kind"))
			}
			return ""
		}},
		{Keys: []string{"experiment.figure.runs", "experiment.figure.kind"}, Broken: func(s *config.Settings) string { // Single runs are drawn by round.
			if f := ExperimentOf(s).Figure; f.Kind != "curves" && f.Runs > 0 {
				return fmt.Sprintf("want 0 with %s", s.With("experiment.figure.kind"))
			}
			return ""
		}},
		{Keys: []string{"experiment.faults.partition", "rounds.count", "privacy.horizon"}, Broken: func(s *config.Settings) string { // A partition begins before the run ends.
			if p := ExperimentOf(s).Faults.Partition; len(p) == 2 && p[0] >= s.RoundCount() {
				return fmt.Sprintf("want it to begin before round %d, where the run ends by %s and %s",
					s.RoundCount(), s.With("rounds.count"), s.With("privacy.horizon"))
			}
			return ""
		}},
		{Keys: []string{"experiment.faults.stop", "rounds.count", "privacy.horizon"}, Broken: func(s *config.Settings) string { // A site stops before the run ends.
			if f := ExperimentOf(s).Faults; f.Stop > 0 && f.Stop >= s.RoundCount() {
				return fmt.Sprintf("want a round before %d, where the run ends by %s and %s", s.RoundCount(), s.With("rounds.count"), s.With("privacy.horizon"))
			}
			return ""
		}},
		{Keys: []string{"experiment.faults.resume", "experiment.faults.stop"}, Broken: func(s *config.Settings) string { // A site resumes after it has stopped.
			if f := ExperimentOf(s).Faults; f.Resume > 0 && (f.Stop == 0 || f.Resume <= f.Stop) {
				return fmt.Sprintf("want 0, or a later round than %s", s.With("experiment.faults.stop"))
			}
			return ""
		}},
		{Keys: []string{"experiment.faults.stop", "experiment.faults.resume", "experiment.liars.count", "testnet.nodes"}, Broken: func(s *config.Settings) string { // Some honest site stays.
			x := ExperimentOf(s)
			f, honest := x.Faults, s.SitesOf(TestnetOf(s).Nodes)-x.Liars.Count
			return config.When(f.Stop > 0 && f.Resume == 0 && honest < 2,
				"want 0 with %s and %s: no honest site stays whose regret counts", s.With("experiment.liars.count"), s.With("testnet.nodes"))
		}},
	}
}

// Disturbance returns the first setting that makes a simulated network worse, empty for none.
func Disturbance(s *config.Settings) string {
	for _, k := range Schema().Keys() {
		if k.Section() != "experiment.faults" && k.Name != "experiment.liars.count" {
			continue
		}
		if v := s.Value(k.Name); !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0) {
			return k.Name
		}
	}
	return ""
}
