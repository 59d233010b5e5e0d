package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"peerd.dev/node/network"
	"peerd.dev/protocol"
)

// Signed reports whether the network file is a record of signed documents. Its name ends in .json.
func (s *Settings) Signed() bool { return signed(s.NetworkPath()) }

func signed(path string) bool { return filepath.Ext(path) == ".json" }

// readRecord returns the network of a signed document. Signatures are verified by what runs on it.
func readRecord(path string) (*Network, error) {
	b, err := OpenDocument(path, network.Config{})
	if err != nil {
		return nil, err
	}
	return NetworkOf(b.Newest()), nil
}

// OpenDocument opens the file of a signed document.
func OpenDocument(path string, c network.Config) (book *network.Book, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, Failf(ErrRefused, "network document: %w", err)
	}
	var s network.State
	if err = json.Unmarshal(text, &s); err == nil && s.Root == nil && bytes.Contains(text, []byte(`"steps":`)) {
		return nil, Failf(ErrRefused, "network document %s is of peerd 0.2.0 or before: it has no form that this build reads; docs/upgrading.md says what to do", path)
	}
	if err == nil {
		book, err = network.Open(c, s)
	}
	if err != nil {
		return nil, Failf(ErrRefused, "network document %s is damaged: %w. Stop this peer and copy the file of another peer over it: a document proves itself", path, err)
	}
	return book, nil
}

// NetworkOf returns the network of a document. Peers that are not present have their places and no links.
func NetworkOf(d *network.Document) *Network {
	n := &Network{Name: d.Name, Start: d.Start, Every: d.Duration(), Links: d.Edges(), Version: d.Version, First: cmp.Or(d.Network, d.Hash()), Document: d, Settings: d.Settings, Changed: d.Changed, Added: d.Added, Retired: d.Retired}
	for _, p := range d.Peers {
		n.Peers = append(n.Peers, Member{Name: p.Name, ID: p.ID, Addrs: p.Addrs, Standing: p.Standing, Former: p.Former, Closed: p.Closed})
	}
	return n
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
			problems = append(problems, Problem{Key: x.Key, Value: short(ours[x.Key]), Reason: "want " + x.Value + ", which the network document says"})
		}
		delete(ours, x.Key)
	}
	for _, x := range s.SharedSettings() {
		if value, ok := ours[x.Key]; ok {
			problems = append(problems, Problem{Key: x.Key, Value: short(value), Reason: "want none, since the network document does not have it"})
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
		k, ok := s.Schema().Find(x.Key)
		if !ok || !k.Changes || !s.Applies(k) {
			return nil, Failf(ErrRefused, "%s cannot change while peers run: docs/configuration.md says which settings can", x.Key)
		}
		problem := c.take(k, parseValue(c.Value(x.Key).Type(), x.Value))
		if problem == nil {
			if reason := k.Rule.Check(c.Value(x.Key)); reason != "" {
				problem = &Problem{Key: x.Key, Value: short(x.Value), Reason: reason}
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

// Absent reports whether the place has no active peer.
func (m *Member) Absent() bool { return m.Standing == network.Gone || m.Standing == network.Invited }

// FirstID returns the first id that the place had, by which others remember it.
func (m *Member) FirstID() string {
	if len(m.Former) > 0 {
		return m.Former[0]
	}
	return m.ID
}
