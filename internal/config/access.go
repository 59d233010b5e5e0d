package config

import (
	"fmt"
	"reflect"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
	"peerd.dev/protocol"
	"peerd.dev/protocol/table"
)

// Value returns the value of a key, which must be of the schema. It can be set unless it is
// a parameter of an entry.
func (s *Settings) Value(key string) reflect.Value {
	k, ok := s.Schema().Find(key)
	switch {
	case !ok || k.index == nil:
		panic("peerd: no setting has the key " + key)
	case k.block != nil:
		return reflect.ValueOf(s.Entry(k.block.section, k.block.name)).FieldByIndex(k.index)
	}
	return reflect.ValueOf(s).Elem().FieldByIndex(k.index)
}

// Values returns every setting as text for a file or for --set.
func (s *Settings) Values() map[string]string {
	texts := make(map[string]string)
	for _, k := range s.Schema().keys {
		texts[k.Name] = ValueText(s.Value(k.Name).Interface())
	}
	return texts
}

// Entry returns the parameters of an entry of a section; nil if it does not exist.
func (s *Settings) Entry(section, name string) any {
	if params, ok := (*s.params(section))[name]; ok {
		return params
	}
	for _, b := range s.Schema().blocks {
		if b.section == section && b.name == name {
			return b.standard
		}
	}
	return nil
}

// LearnerParams returns the parameters of the chosen learner, or the default learner's if the
// name, which is refused elsewhere, does not exist.
func (s *Settings) LearnerParams() bandit.Params {
	if p, ok := s.Entry("learner", s.Learner.Name).(bandit.Params); ok {
		return p
	}
	return bandit.Table()[0]
}

// ProtocolParams returns the parameters of the chosen protocol, fitted to the budget, or the
// default protocol's if the name, which is refused elsewhere, does not exist.
func (s *Settings) ProtocolParams() protocol.Params {
	p, ok := s.Entry("protocol", s.Protocol.Name).(protocol.Params)
	if !ok {
		p = table.Protocols()[0]
	}
	return protocol.Fit(p, s.Privacy.drawn())
}

// SetLearner chooses a learner by its parameters.
func (s *Settings) SetLearner(p bandit.Params) {
	name := p.Words().Name
	s.Learner.Name, s.Learner.Params = name, s.Learner.Params.With(name, p)
}

// SetProtocol chooses a protocol by its parameters.
func (s *Settings) SetProtocol(p protocol.Params) {
	name := p.Words().Name
	s.Protocol = Protocol{name, s.Protocol.Params.With(name, p)}
}

// params returns the parameters of a section.
func (s *Settings) params(section string) *Params {
	switch section {
	case "learner":
		return &s.Learner.Params
	case "protocol":
		return &s.Protocol.Params
	case "world":
		return &s.World.Params
	default:
		return &s.Sections
	}
}

// chosen returns the name of the chosen entry of a section.
func (s *Settings) chosen(section string) string {
	switch section {
	case "learner":
		return s.Learner.Name
	case "protocol":
		return s.Protocol.Name
	default:
		return s.World.Kind
	}
}

// Applies reports whether a key has a meaning: it is not a parameter of an entry that is not
// chosen.
func (s *Settings) Applies(k Key) bool {
	return k.block == nil || k.block.section == "" || s.chosen(k.block.section) == k.block.name
}

// Agreed reports whether a key of the kind that peers compare, or a folder keeps, really is
// compared or kept.
func (s *Settings) Agreed(k Key) bool {
	return s.Applies(k) && (!k.Later || ValueText(s.Value(k.Name).Interface()) != k.Default)
}

// put sets a setting to a value of its type.
func (s *Settings) put(k Key, value reflect.Value) {
	if k.block == nil {
		s.Value(k.Name).Set(value)
		return
	}
	all := s.params(k.block.section)
	next := reflect.New(reflect.TypeOf(k.block.standard)).Elem()
	next.Set(reflect.ValueOf(s.Entry(k.block.section, k.block.name)))
	next.FieldByIndex(k.index).Set(value)
	*all = all.With(k.block.name, next.Interface())
}

// With writes a key and its value in the form of messages.
func (s *Settings) With(key string) string {
	return fmt.Sprintf("%s: %s", key, Short(ValueText(s.Value(key).Interface())))
}

// problem makes a problem of a value of s.
func (s *Settings) problem(key, reason string) Problem {
	return Problem{Key: key, Value: Short(ValueText(s.Value(key).Interface())), Reason: reason}
}

// Refused makes a problem of what an entry's Check returns.
func (s *Settings) Refused(prefix, field, want string) []Problem {
	if field == "" {
		return nil
	}
	return []Problem{s.problem(prefix+field, "want "+want)}
}

// isBad reports whether a key is bad or, if it chooses an entry, a parameter of that entry is.
func (s *Settings) isBad(key string, bad map[string]bool) bool {
	section, last := cutLast(key)
	if choice := last == "name" || last == "kind"; choice && AnyBad(bad, section+"."+s.chosen(section)+".") {
		return true
	}
	return bad[key]
}

// laboratory returns the laboratory of the schema; nil for none.
func (s *Settings) laboratory() Laboratory { return s.Schema().with.Laboratory }

// Simulated returns what a site must know of its simulated world.
func (s *Settings) Simulated() Simulated {
	if l := s.laboratory(); l != nil {
		return l.Simulated(s)
	}
	return Simulated{}
}

// OpenSites opens the simulated world for a number of sites.
func (s *Settings) OpenSites(sites int) (Sites, error) {
	if l := s.laboratory(); l != nil {
		return l.Open(s, sites)
	}
	return nil, Failf(ErrRefused, "world.kind: an application pays no simulated rewards")
}

// checkLaboratory asks the laboratory, if there is one.
func (s *Settings) checkLaboratory(peers int, bad map[string]bool) []Problem {
	if l := s.laboratory(); l != nil {
		return l.Check(s, peers, bad)
	}
	return nil
}

// RoundCount returns how many rounds a run plays.
func (s *Settings) RoundCount() uint64 {
	if s.Rounds.Count == 0 {
		return s.Privacy.Rounds()
	}
	return s.Rounds.Count
}

// SitesOf returns how many of the first peers of a network have arms. Each of them has a site
// of the world, in the order of peers.
func (s *Settings) SitesOf(peers int) int {
	return protocol.Learners(s.ProtocolParams(), peers)
}

// inputKeys returns the keys of the numbers that the chosen learner takes, if it takes any and has such keys.
func (s *Settings) inputKeys() (features, context, by string, ok bool) {
	prefix := "learner." + s.Learner.Name + "."
	features, context, by = prefix+"features", prefix+"context", prefix+"map"
	for _, key := range []string{features, context, by} {
		if _, known := s.Schema().Find(key); !known {
			return "", "", "", false
		}
	}
	return features, context, by, bandit.TraitsOf(s.LearnerParams()).Contextual
}

// Names returns the named features; nil if there are none, or they are refused elsewhere.
func (s *Settings) Names() *decision.Names {
	n, err := decision.ParseNames(s.Features.Context, s.Features.Action)
	if err != nil {
		return nil
	}
	return n
}
