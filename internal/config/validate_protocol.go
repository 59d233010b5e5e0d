package config

import (
	"fmt"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

func protocolConstraints() []Constraint {
	return []Constraint{
		{[]string{"privacy.mechanism", "protocol.name"}, func(s *Settings) string { // The mechanism releases what the protocol carries.
			p := s.ProtocolParams()
			m, err := dp.ParseMechanism(s.Privacy.Mechanism)
			if err != nil || protocol.Suits(p, m) {
				return ""
			}
			suits := s.Schema().with.mechanisms(func(m dp.Mechanism) bool { return protocol.Suits(p, m) })
			if len(suits) == 0 {
				return fmt.Sprintf("want another protocol: this program has no mechanism for running sums, which %s needs", s.With("protocol.name"))
			}
			return fmt.Sprintf("want one of %s with %s", strings.Join(suits, ", "), s.With("protocol.name"))
		}},
		{[]string{"privacy.mechanism", "protocol.name"}, func(s *Settings) string { // Leaves that are forgotten are released one by one.
			p := s.ProtocolParams()
			m, err := dp.ParseMechanism(s.Privacy.Mechanism)
			if err != nil || !m.Running() {
				return ""
			}
			if window := p.Cadence().Window; window > 0 && protocol.Suits(p, m) {
				return fmt.Sprintf("want one that releases every leaf by itself, not running sums, which forget nothing, with a window of %d rounds and %s", window, s.With("protocol.name"))
			}
			return ""
		}},
		{[]string{"protocol.name", "learner.name"}, func(s *Settings) string { // The protocol carries what the learner adds up.
			wide, phased := protocol.TraitsOf(s.ProtocolParams()).Wide, bandit.TraitsOf(s.LearnerParams()).Phased
			statistic, err := s.Statistic()
			if err != nil || statistic.Width() > 1 == wide {
				return ""
			}
			suits := s.protocols(func(p protocol.Params) bool {
				return protocol.TraitsOf(p).Wide != wide && phased == (p.Cadence().Epochs > 0)
			})
			if wide {
				return fmt.Sprintf("want one of %s with learner.name: %s, which chooses by means of rewards", suits, s.Learner.Name)
			}
			return fmt.Sprintf("want one of %s with learner.name: %s, whose sums have %d numbers", suits, s.Learner.Name, statistic.Width())
		}},
		{[]string{"protocol.name", "learner.name"}, func(s *Settings) string { // A learner that weighs sites has the mean, or the sums, of each.
			p := s.ProtocolParams()
			t := protocol.TraitsOf(p)
			statistic, err := s.Statistic()
			if wide := err == nil && statistic.Width() > 1; wide != t.Wide { // said above
				return ""
			}
			if !s.weighsSites() || t.Sites || p.Cadence().Epochs > 0 {
				return ""
			}
			if t.Wide {
				return fmt.Sprintf("want one without an analyzer with %s, which weighs each site's sums", s.With("learner.name"))
			}
			suits := s.protocols(func(p protocol.Params) bool { return protocol.TraitsOf(p).Sites && !protocol.TraitsOf(p).Wide })
			return fmt.Sprintf("want one of %s, with merge: mean, with %s, which weighs each site's mean", suits, s.With("learner.name"))
		}},
		{[]string{"protocol.name", "learner.name"}, func(s *Settings) string { // A protocol has epochs, and the learner explores in epochs, or neither.
			p, phased := s.ProtocolParams(), bandit.TraitsOf(s.LearnerParams()).Phased
			if phased == (p.Cadence().Epochs > 0) {
				return ""
			}
			if statistic, err := s.Statistic(); err != nil || statistic.Width() > 1 != protocol.TraitsOf(p).Wide {
				return "" // said above
			}
			suits := s.protocols(func(p protocol.Params) bool { return phased == (p.Cadence().Epochs > 0) })
			if phased {
				return fmt.Sprintf("want one of %s with learner.name: %s, which explores in epochs", suits, s.Learner.Name)
			}
			return fmt.Sprintf("want one of %s with learner.name: %s, which explores in no epochs", suits, s.Learner.Name)
		}},
	}
}

// protocols lists the names of those that have a property with their defaults.
func (s *Settings) protocols(has func(protocol.Params) bool) string {
	var names []string
	for _, p := range s.Schema().with.Protocols {
		if has(p) {
			names = append(names, p.Words().Name)
		}
	}
	return strings.Join(names, ", ")
}
