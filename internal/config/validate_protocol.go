package config

import (
	"fmt"
	"slices"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

func protocolConstraints() []Constraint {
	return []Constraint{
		{[]string{"privacy.mechanism", "protocol.name"}, "The mechanism releases what the protocol carries.", func(s *Settings) string {
			p := s.ProtocolParams()
			m, err := dp.ParseMechanism(s.Privacy.Mechanism)
			if err != nil || protocol.Suits(p, m) {
				return ""
			}
			suits := s.Schema().with.mechanisms(func(m dp.Mechanism) bool { return protocol.Suits(p, m) })
			return fmt.Sprintf("want one of %s with %s", strings.Join(suits, ", "), s.With("protocol.name"))
		}},
		{[]string{"privacy.mechanism", "protocol.name"}, "Leaves that are forgotten are released one by one.", func(s *Settings) string {
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
		{[]string{"protocol.name", "learner.name"}, "The protocol carries what the learner adds up.", func(s *Settings) string {
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
		{[]string{"protocol.name", "learner.name"}, "A learner that weighs sites has the mean, or the sums, of each.", func(s *Settings) string {
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
		{[]string{"protocol.name", "learner.name"}, "A protocol has epochs, and the learner explores in epochs, or neither.", func(s *Settings) string {
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

// validateLearner asks the chosen learner whether its parameters go together. bad keys are
// passed over.
func (s *Settings) validateLearner(bad map[string]bool) []Problem {
	prefix := "learner." + s.Learner.Name + "."
	if AnyBad(bad, prefix, "learner.name") {
		return nil
	}
	if problems := s.checkFeatures(bad); len(problems) > 0 {
		return problems
	}
	field, want := bandit.Check(s.LearnerParams(), len(s.Arms))
	if field == "context" && len(s.Features.Context) > 0 {
		bad[prefix+field] = true
		return []Problem{s.problem(contextKey, "want fewer numbers and categories: "+want)}
	}
	return s.Refused(prefix, field, want)
}

// CheckProtocol asks the chosen protocol whether its parameters suit a network. bad keys
// are passed over.
func (s *Settings) CheckProtocol(n protocol.Net, bad map[string]bool) []Problem {
	prefix := "protocol." + s.Protocol.Name + "."
	if AnyBad(bad, prefix, "protocol.name", "privacy.horizon", "testnet.nodes", "testnet.topology") {
		return nil
	}
	field, want := protocol.Check(s.ProtocolParams(), n)
	return s.Refused(prefix, field, want)
}

// Refused makes a problem of what an entry's Check returns.
func (s *Settings) Refused(prefix, field, want string) []Problem {
	if field == "" {
		return nil
	}
	return []Problem{s.problem(prefix+field, "want "+want)}
}

// AnyBad reports whether a key is bad, or one that begins with a prefix.
func AnyBad(bad map[string]bool, prefix string, keys ...string) bool {
	for key, is := range bad {
		if is && (strings.HasPrefix(key, prefix) || slices.Contains(keys, key)) {
			return true
		}
	}
	return false
}

// learner makes the chosen learner, of which nothing is kept.
func (s *Settings) learner() (bandit.Learner, error) {
	return bandit.New(s.LearnerParams(), bandit.Config{Arms: max(1, len(s.Arms)), Peers: 1, Horizon: s.Privacy.Rounds(), Epsilon: 1})
}

// weighsSites reports whether the chosen learner needs the mean of each site.
func (s *Settings) weighsSites() bool {
	if bandit.TraitsOf(s.LearnerParams()).Vectored {
		return true // which cannot be made before the vectors of a world are known
	}
	l, err := s.learner()
	by, ok := l.(bandit.BySite)
	return err == nil && ok && by.NeedsSites()
}

// Statistic returns what the chosen learner adds up.
func (s *Settings) Statistic() (bandit.Statistic, error) {
	l, err := s.learner()
	if err != nil {
		return bandit.Statistic{}, err
	}
	return l.Statistic(), nil
}
