package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"peerd.dev/dp"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

func runConstraints() []Constraint {
	return []Constraint{
		{[]string{"rounds.count", "privacy.horizon"}, "A run ends no later than its budget: releases stop at the horizon.", func(s *Settings) string {
			if s.Rounds.Count > s.Privacy.Rounds() {
				return fmt.Sprintf("want at most %s: releases stop at the horizon", s.With("privacy.horizon"))
			}
			return ""
		}},
		{[]string{"rounds.count", "privacy.horizon", "mode"}, "A run in lockstep ends.", func(s *Settings) string {
			if s.Mode == Lockstep && s.Rounds.Count == 0 && s.Privacy.Horizon == 0 {
				return fmt.Sprintf("want the number of rounds to play with %s and %s", s.With("mode"), s.With("privacy.horizon"))
			}
			return ""
		}},
		{[]string{"testnet.topology", "testnet.nodes"}, "The topology can be built with that many peers.", func(s *Settings) string {
			spec, err := readSpec(s.Testnet.Topology, s.Testnet.Nodes)
			if err == nil {
				err = spec.Validate()
			}
			if err != nil {
				return fmt.Sprintf("want one that suits %s; %s", s.With("testnet.nodes"), strings.TrimPrefix(err.Error(), "topology: "))
			}
			return ""
		}},
		{[]string{"experiment.liars.count", "testnet.nodes"}, "At least one peer is honest.", func(s *Settings) string {
			if s.Experiment.Liars.Count >= s.Testnet.Nodes {
				return fmt.Sprintf("want fewer than %s, so that one peer is honest", s.With("testnet.nodes"))
			}
			if s.SitesOf(s.Testnet.Nodes) == 0 {
				return "" // said elsewhere
			}
			liars := sim.Liars{Count: s.Experiment.Liars.Count}
			for i := range s.Testnet.Nodes {
				if protocol.Learns(s.ProtocolParams(), protocol.Peer(i)) && !liars.Is(i, s.Testnet.Nodes) {
					return ""
				}
			}
			return fmt.Sprintf("want fewer with %s, so that one peer with arms is honest", s.With("testnet.nodes"))
		}},
		{[]string{"experiment.lemmas", "protocol.name", "protocol.average.consistency", "experiment.alone"}, "The lemmas are about peers that average by the paper's rule.", func(s *Settings) string {
			p, ok := s.ProtocolParams().(protocol.AverageParams)
			switch {
			case s.Experiment.Lemmas && !ok:
				return fmt.Sprintf("want false with %s: the lemmas are about protocol average", s.With("protocol.name"))
			case s.Experiment.Lemmas && p.Consistency != protocol.Max:
				return fmt.Sprintf("want false with %s: the lemmas are about consistency %s", s.With("protocol.average.consistency"), protocol.Max)
			case s.Experiment.Lemmas && s.Experiment.Alone:
				return fmt.Sprintf("want false with %s: the lemmas are about peers that communicate", s.With("experiment.alone"))
			}
			return ""
		}},
		{[]string{"experiment.lemmas", "learner.explore"}, "The lemmas are about peers that pull the arms that lag behind.", func(s *Settings) string {
			if s.Experiment.Lemmas && s.Learner.Explore > 0 {
				return fmt.Sprintf("want false with %s: the lemmas are about peers that pull the arms that lag behind", s.With("learner.explore"))
			}
			return ""
		}},
		{[]string{"experiment.lemmas", "privacy.mechanism"}, "The lemmas are checked on sums that are sums of nodes.", func(s *Settings) string {
			if m, err := dp.ParseMechanism(s.Privacy.Mechanism); err == nil && s.Experiment.Lemmas && !m.Tiles() {
				return fmt.Sprintf("want false with %s: own means are added up from nodes, which %s allow", s.With("privacy.mechanism"), strings.Join(tiling(), ", "))
			}
			return ""
		}},
		{
			append([]string{"experiment.lemmas"}, disturbances()...), "The lemmas are about a network without faults and liars.", func(s *Settings) string {
				for _, key := range disturbances() {
					if v := s.Value(key); s.Experiment.Lemmas && !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0) {
						return fmt.Sprintf("want false with %s: the lemmas are about a network without faults and liars", s.With(key))
					}
				}
				return ""
			},
		},
		{[]string{"experiment.lemmas", "world.traffic"}, "The lemmas are about peers that pull an arm in every round.", func(s *Settings) string {
			if s.Experiment.Lemmas && slices.Min(s.World.Traffic) < 1 {
				return fmt.Sprintf("want false with %s: the lemmas are about peers that pull an arm in every round", s.With("world.traffic"))
			}
			return ""
		}},
		{[]string{"experiment.figure.x", "experiment.figure.kind"}, "Final is drawn against something, curves against rounds.", func(s *Settings) string {
			switch f := s.Experiment.Figure; {
			case f.Kind == "final" && f.X == "":
				return fmt.Sprintf("want spectral_gap or a setting that holds a number with %s", s.With("experiment.figure.kind"))
			case f.Kind != "final" && f.X != "":
				return fmt.Sprintf("want nothing with %s", s.With("experiment.figure.kind"))
			}
			return ""
		}},
		{[]string{"experiment.figure.runs", "experiment.figure.kind"}, "Single runs are drawn by round.", func(s *Settings) string {
			if f := s.Experiment.Figure; f.Kind != "curves" && f.Runs > 0 {
				return fmt.Sprintf("want 0 with %s", s.With("experiment.figure.kind"))
			}
			return ""
		}},
		{[]string{"experiment.faults.partition", "rounds.count", "privacy.horizon"}, "A partition begins before the run ends.", func(s *Settings) string {
			if p := s.Experiment.Faults.Partition; len(p) == 2 && p[0] >= s.RoundCount() {
				return fmt.Sprintf("want it to begin before round %d, where the run ends by %s and %s",
					s.RoundCount(), s.With("rounds.count"), s.With("privacy.horizon"))
			}
			return ""
		}},
	}
}

// tiling lists the mechanisms whose running sums are sums of nodes.
func tiling() (names []string) {
	for _, m := range dp.Mechanisms() {
		if m.Tiles() {
			names = append(names, m.String())
		}
	}
	return names
}

// disturbances lists the keys that make a simulated network worse than none.
func disturbances() []string {
	return append(KeysUnder("experiment.faults"), "experiment.liars.count")
}
