package main

import (
	"fmt"
	"strings"
)

func runPacts() []pact {
	return []pact{
		{[]string{"rounds.count", "privacy.horizon"}, "A run ends no later than its budget: releases stop at the horizon.", func(s *Settings) string {
			if s.Rounds.Count > s.Privacy.Horizon {
				return fmt.Sprintf("want at most %s: releases stop at the horizon", s.with("privacy.horizon"))
			}
			return ""
		}},
		{[]string{"testnet.topology", "testnet.nodes"}, "The topology can be built with that many peers.", func(s *Settings) string {
			spec, err := readSpec(s.Testnet.Topology, s.Testnet.Nodes)
			if err == nil {
				err = spec.Validate()
			}
			if err != nil {
				return fmt.Sprintf("want one that suits %s; %s", s.with("testnet.nodes"), strings.TrimPrefix(err.Error(), "topology: "))
			}
			return ""
		}},
		{[]string{"experiment.liars.count", "testnet.nodes"}, "Somebody is honest.", func(s *Settings) string {
			if s.Experiment.Liars.Count >= s.Testnet.Nodes {
				return fmt.Sprintf("want fewer than %s, so that somebody is honest", s.with("testnet.nodes"))
			}
			return ""
		}},
		{[]string{"experiment.faults.partition", "rounds.count", "privacy.horizon"}, "A partition begins before the run ends.", func(s *Settings) string {
			if p := s.Experiment.Faults.Partition; len(p) == 2 && p[0] >= s.RoundCount() {
				return fmt.Sprintf("want it to begin before round %d, where the run ends by %s and %s",
					s.RoundCount(), s.with("rounds.count"), s.with("privacy.horizon"))
			}
			return ""
		}},
	}
}
