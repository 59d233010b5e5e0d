package config

import (
	"fmt"
	"slices"

	"peerd.dev/gossip/topology"
	"peerd.dev/node/network"
	"peerd.dev/protocol"
)

// CheckNetwork returns what in s does not suit the network n.
func (s *Settings) CheckNetwork(n *Network) []Problem {
	var problems []Problem
	peers := len(n.Peers)
	if s.Mode == Live && s.Rounds.Every != n.Every {
		problems = append(problems, s.problem("rounds.every", "want "+DurationText(n.Every)+", which is every in the network file; leave the key out to follow that file"))
	}
	net := protocol.Net{Peers: peers, Horizon: s.Privacy.Rounds()}
	if g, err := topology.NewGraph(peers, n.Links); err == nil {
		net.LeastDegree = peers
		for i := range n.Peers {
			if !n.Peers[i].Absent() {
				net.LeastDegree = min(net.LeastDegree, g.Degree(i))
			}
		}
	}
	if n.Version > 0 {
		problems = append(problems, s.checkShared(n)...)
	}
	at, err := s.In(n)
	if err != nil {
		at = s // CheckChange refuses it
	}
	for _, p := range append(at.CheckProtocol(net, nil), s.checkLaboratory(peers, nil)...) {
		p.Reason += ", by the network file"
		problems = append(problems, p)
	}
	if why := at.unseenGifts(); why != "" {
		problems = append(problems, at.problem("give.least", why))
	}
	s.Schema().sort(problems)
	return problems
}

// SharedSettings returns the settings on which all peers of a network must agree, in the order of the
// schema.
func (s *Settings) SharedSettings() []network.Setting {
	return s.compared(func(k Key) bool { return k.Shared })
}

// FixedSettings returns the settings that a folder keeps from its founding, in the order of the schema.
func (s *Settings) FixedSettings() []network.Setting {
	return s.compared(func(k Key) bool { return k.Fixed })
}

// FreeSettings returns a site's settings that can change between two starts, in the order of the schema.
func (s *Settings) FreeSettings() []network.Setting {
	return s.compared(func(k Key) bool { return !k.Fixed && !k.Laboratory && k.Name != "dir" })
}

// compared returns the settings of a kind that peers or folders compare, with those that have ended.
func (s *Settings) compared(is func(Key) bool) (all []network.Setting) {
	for _, k := range s.Schema().keys {
		if is(k) && s.Agreed(k) {
			all = append(all, network.Setting{Key: k.Name, Value: ValueText(s.Value(k.Name).Interface())})
		}
		for _, e := range endedKeys() {
			if e.after == k.Name && is(e.Key) && e.applies(s) {
				all = append(all, network.Setting{Key: e.Name, Value: e.value})
			}
		}
	}
	return all
}

// checkShared compares the settings with the shared ones in a document.
func (s *Settings) checkShared(n *Network) (problems []Problem) {
	ours := make(map[string]string)
	for _, x := range s.SharedSettings() {
		ours[x.Key] = x.Value
	}
	for _, x := range n.Settings {
		if ours[x.Key] != x.Value {
			problems = append(problems, Problem{Key: x.Key, Value: Short(ours[x.Key]), Reason: "want " + x.Value + ", which the network document says"})
		}
		delete(ours, x.Key)
	}
	for _, x := range s.SharedSettings() {
		if value, ok := ours[x.Key]; ok {
			problems = append(problems, Problem{Key: x.Key, Value: Short(value), Reason: "want none, since the network document does not have it"})
		}
	}
	return problems
}

// In returns the settings in a version of the network, in which some that all peers share may have
// changed. What peers compare, and what signatures are bound to, stays as in the first version.
func (s *Settings) In(n *Network) (*Settings, error) {
	if len(n.Changed) == 0 {
		return s, nil
	}
	c := &Config{Settings: *s, From: make(map[string]Origin)}
	for _, x := range n.Changed {
		if e, was := ended(x.Key); was && x.Value == e.value {
			continue // a network of an earlier build changed it, and it has the value that is left
		} else if was {
			return nil, Failf(ErrRefused, "%s: %s is %s", x.Key, x.Value, e.reason())
		}
		k, ok := s.Schema().Find(x.Key)
		if !ok || !k.Changes || !s.Applies(k) {
			return nil, Failf(ErrRefused, "%s cannot change while peers run: docs/configuration.md says which settings can", x.Key)
		}
		problem := c.take(k, parseValue(c.Value(x.Key).Type(), x.Value))
		if problem == nil {
			if reason := k.Rule.Check(c.Value(x.Key)); reason != "" {
				problem = &Problem{Key: x.Key, Value: Short(x.Value), Reason: reason}
			}
		}
		if problem != nil {
			return nil, &Refusal{What: "setting of the network", Problems: []Problem{*problem}}
		}
	}
	return &c.Settings, nil
}

// CheckChange returns why a network may not change to another version while its peers run, or
// nil. It is the only place of that rule: addresses, keys and links can always change; peers and actions
// can, unless the protocol or the world relies on them; and settings with [Key.Changes].
func (s *Settings) CheckChange(was, is *Network) error {
	if problems := s.CheckNetwork(is); len(problems) > 0 {
		return &Refusal{What: fmt.Sprintf("version %d of the network", is.Version), Problems: problems}
	}
	before := was.ValidatePeers() // of an earlier build, which accepted what this one does not
	if problems := slices.DeleteFunc(is.ValidatePeers(), func(p Problem) bool { return slices.Contains(before, p) }); len(problems) > 0 {
		return &Refusal{What: fmt.Sprintf("version %d of the network", is.Version), Problems: problems}
	}
	if _, err := s.In(is); err != nil {
		return err
	}
	if err := s.checkActions(was, is); err != nil {
		return err
	}
	same := len(was.Peers) == len(is.Peers)
	for i := range was.Peers {
		same = same && was.Peers[i].Standing == is.Peers[i].Standing
	}
	if same {
		return nil
	}
	if why := protocol.TraitsOf(s.ProtocolParams()).Fixed; why != "" {
		return Failf(ErrRefused, "no peer can join or leave with protocol.name %s: %s", s.Protocol.Name, why)
	}
	if s.Simulated().Records > 0 {
		return Failf(ErrRefused, "no peer can join or leave with world.kind %s: it deals its records to the peers that were there at the start", s.World.Kind)
	}
	return nil
}

// checkActions returns why a network cannot have the arms that were added or retired in it; nil
// if it can. Names are checked when they come in, so that a network goes on with names that earlier builds accepted.
func (s *Settings) checkActions(was, n *Network) error {
	if len(n.Added)+len(n.Retired) == 0 {
		return nil
	}
	if s.Cadence().Epochs > 0 {
		return Failf(ErrRefused, "no action can be added or retired with %s, in whose epochs all of them are explored", s.With("protocol.name"))
	}
	if len(n.Added) > int(s.SpareArms) {
		return Failf(ErrRefused, "there is room for %d more actions and not for %d, since the network began with %s", s.SpareArms, len(n.Added), s.With("spare_arms"))
	}
	all := slices.Concat(s.Arms, n.Added)
	for i := len(s.Arms) + len(was.Added); i < len(all); i++ {
		name := all[i]
		if why := nameTrouble(name); why != "" {
			return Failf(ErrRefused, "the name %q %s: choose another one", name, why)
		}
		if slices.ContainsFunc(all[:i], func(o string) bool { return sameName(o, name) }) {
			return Failf(ErrRefused, "there is an action %q, or was one: choose another name", name)
		}
	}
	for _, name := range n.Retired {
		if !slices.Contains(all, name) {
			return Failf(ErrRefused, "there is no action %q; `peerd network show` lists them", name)
		}
	}
	if left := len(all) - len(n.Retired); left < 2 {
		return Failf(ErrRefused, "two actions have to be left, not %d", left)
	}
	return nil
}
