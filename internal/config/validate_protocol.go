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
			e, err := protocol.Lookup(s.Protocol.Name)
			m, wrong := dp.ParseMechanism(s.Privacy.Mechanism)
			if err != nil || wrong != nil || e.Suits(m) {
				return ""
			}
			var suits []string
			for _, m := range dp.Mechanisms() {
				if e.Suits(m) {
					suits = append(suits, m.String())
				}
			}
			return fmt.Sprintf("want one of %s with %s", strings.Join(suits, ", "), s.With("protocol.name"))
		}},
		{[]string{"privacy.mechanism", "protocol.name"}, "Leaves that are forgotten are released one by one.", func(s *Settings) string {
			e, err := protocol.Lookup(s.Protocol.Name)
			m, wrong := dp.ParseMechanism(s.Privacy.Mechanism)
			if err != nil || wrong != nil || !m.Running() {
				return ""
			}
			if window := e.Cadence(s.ProtocolParams()).Window; window > 0 && e.Suits(m) {
				return fmt.Sprintf("want one that releases every leaf by itself, not running sums, which forget nothing, with a window of %d rounds and %s", window, s.With("protocol.name"))
			}
			return ""
		}},
		{[]string{"protocol.name", "learner.name"}, "The protocol carries what the learner adds up.", func(s *Settings) string {
			e, err := protocol.Lookup(s.Protocol.Name)
			l, wrong := bandit.EntryOf(s.LearnerParams())
			if err != nil || wrong != nil {
				return ""
			}
			statistic, err := s.statistic()
			if err != nil || statistic.Width() > 1 == e.Wide {
				return ""
			}
			var suits []string
			for _, other := range protocol.Table() {
				if other.Wide != e.Wide && l.Phased == (other.Cadence(other.Params).Epochs > 0) {
					suits = append(suits, other.Name)
				}
			}
			if e.Wide {
				return fmt.Sprintf("want one of %s with learner.name: %s, which chooses by means of rewards", strings.Join(suits, ", "), l.Name)
			}
			return fmt.Sprintf("want one of %s with learner.name: %s, whose sums have %d numbers", strings.Join(suits, ", "), l.Name, statistic.Width())
		}},
		{[]string{"protocol.name", "learner.name"}, "A learner by public vectors has the mean of each site.", func(s *Settings) string {
			e, err := protocol.Lookup(s.Protocol.Name)
			l, wrong := bandit.EntryOf(s.LearnerParams())
			if err != nil || wrong != nil || l.Vectors == nil || e.StatesSites(s.ProtocolParams()) || e.Wide || e.Cadence(s.ProtocolParams()).Epochs > 0 {
				return ""
			}
			var suits []string
			for _, other := range protocol.Table() {
				if other.StatesSites(other.Params) {
					suits = append(suits, other.Name)
				}
			}
			return fmt.Sprintf("want one of %s, with merge: mean, with %s, which weighs each site's mean", strings.Join(suits, ", "), s.With("learner.name"))
		}},
		{[]string{"protocol.name", "learner.name"}, "A protocol has epochs, and the learner explores in epochs, or neither.", func(s *Settings) string {
			e, err := protocol.Lookup(s.Protocol.Name)
			l, wrong := bandit.EntryOf(s.LearnerParams())
			if err != nil || wrong != nil || l.Phased == (e.Cadence(s.ProtocolParams()).Epochs > 0) {
				return ""
			}
			if statistic, err := s.statistic(); err != nil || statistic.Width() > 1 != e.Wide {
				return "" // said above
			}
			var suits []string
			for _, other := range protocol.Table() {
				if l.Phased == (other.Cadence(other.Params).Epochs > 0) {
					suits = append(suits, other.Name)
				}
			}
			if l.Phased {
				return fmt.Sprintf("want one of %s with learner.name: %s, which explores in epochs", strings.Join(suits, ", "), l.Name)
			}
			return fmt.Sprintf("want one of %s with learner.name: %s, which explores in no epochs", strings.Join(suits, ", "), l.Name)
		}},
	}
}

// validateLearner asks the chosen learner whether its parameters go together. bad keys are
// passed over.
func (s *Settings) validateLearner(bad map[string]bool) []Problem {
	l, err := bandit.EntryOf(s.LearnerParams())
	if err != nil || l.Check == nil || anyBad(bad, "learner."+l.Name+".", "learner.name") {
		return nil
	}
	field, want := l.Check(s.LearnerParams(), len(s.Arms))
	return s.refused("learner."+l.Name+".", field, want)
}

// validateProtocol asks the chosen protocol whether its parameters suit a network. bad keys
// are passed over.
func (s *Settings) validateProtocol(n protocol.Net, bad map[string]bool) []Problem {
	e, err := protocol.Lookup(s.Protocol.Name)
	if err != nil || anyBad(bad, "protocol."+e.Name+".", "protocol.name", "privacy.horizon", "testnet.nodes", "testnet.topology") {
		return nil
	}
	n.Live = s.Mode == Live
	field, want := e.Check(s.ProtocolParams(), n)
	return s.refused("protocol."+e.Name+".", field, want)
}

// refused makes a problem of what an entry's Check returns.
func (s *Settings) refused(prefix, field, want string) []Problem {
	if field == "" {
		return nil
	}
	key := prefix + field
	return []Problem{{Key: key, Value: short(ValueText(s.Value(key).Interface())), Reason: "want " + want}}
}

// anyBad reports whether a key is bad, or one that begins with a prefix.
func anyBad(bad map[string]bool, prefix string, keys ...string) bool {
	for key, is := range bad {
		if is && (strings.HasPrefix(key, prefix) || slices.Contains(keys, key)) {
			return true
		}
	}
	return false
}

// statistic returns what the chosen learner adds up.
func (s *Settings) statistic() (bandit.Statistic, error) {
	entry, err := bandit.EntryOf(s.LearnerParams())
	if err != nil {
		return bandit.Statistic{}, err
	}
	l, err := entry.New(bandit.Config{Arms: max(1, len(s.Arms)), Peers: 1, Horizon: s.Privacy.Rounds(), Epsilon: 1}, s.LearnerParams())
	if err != nil {
		return bandit.Statistic{}, err
	}
	return l.Statistic(), nil
}
