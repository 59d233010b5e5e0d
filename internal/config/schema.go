package config

import (
	"slices"
	"strings"
	"sync"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/table"
)

// A Schema lists settings, in the order in which people read them, with the rules that they keep.
// The documentation, the example file and `peerd config show --schema` are made of it. A Schema
// is never changed.
type Schema struct {
	keys   []Key
	places map[string]int // in keys, by name
	blocks []*block
	with   Extension
}

// An Extension is what a program adds to a schema.
type Extension struct {
	Learners    []bandit.Params
	Protocols   []protocol.Params
	Worlds      []Entry
	Sections    []Entry // the fields of their parameters have the values of Keys that Settings has no field for
	Keys        []Key   // they follow the keys of the same section; one with the name of another replaces it
	Constraints []Constraint
	Laboratory  Laboratory // nil for none
	Papers      bool       // mechanisms that are there for papers are chosen, too
}

// An Entry is a simulated world, whose parameters are a struct with tags, as a learner's are; or a section of keys.
type Entry struct {
	Name, Summary string
	Params        any
}

// Site returns the schema of a site, which has no simulated worlds.
func Site() *Schema {
	standard.once.Do(func() {
		standard.schema = newSchema(Extension{
			Learners: bandit.Table(), Protocols: table.Protocols(),
			Constraints: slices.Concat(privacyConstraints(), protocolConstraints(), actionConstraints(), policyConstraints(), featureConstraints(), rewardConstraints()),
		})
	})
	return standard.schema
}

//nolint:gochecknoglobals // made once, then only read
var standard struct { // no OnceValue, since constraints ask settings, whose schema may be this one
	once   sync.Once
	schema *Schema
}

// With returns a schema with more in it.
func (s *Schema) With(x Extension) *Schema {
	all := Extension{
		Learners:    slices.Concat(s.with.Learners, x.Learners),
		Protocols:   slices.Concat(s.with.Protocols, x.Protocols),
		Worlds:      slices.Concat(s.with.Worlds, x.Worlds),
		Sections:    slices.Concat(s.with.Sections, x.Sections),
		Keys:        slices.Concat(s.with.Keys, x.Keys),
		Constraints: slices.Concat(s.with.Constraints, x.Constraints),
		Laboratory:  s.with.Laboratory,
		Papers:      s.with.Papers || x.Papers,
	}
	if x.Laboratory != nil {
		all.Laboratory = x.Laboratory
	}
	return newSchema(all)
}

func newSchema(x Extension) *Schema {
	s := &Schema{with: x, places: make(map[string]int)}
	for _, p := range x.Learners {
		s.blocks = append(s.blocks, &block{"learner", p.Words().Name, p.Words().Summary, p})
	}
	for _, p := range x.Protocols {
		s.blocks = append(s.blocks, &block{"protocol", p.Words().Name, p.Words().Summary, p})
	}
	for _, e := range x.Sections {
		s.blocks = append(s.blocks, &block{"", e.Name, e.Summary, e.Params})
	}
	for _, w := range x.Worlds {
		s.blocks = append(s.blocks, &block{"world", w.Name, w.Summary, w.Params})
	}
	s.keys = settingKeys(s.blocks, x.mechanisms(func(m dp.Mechanism) bool {
		return slices.ContainsFunc(x.Protocols, func(p protocol.Params) bool { return protocol.Suits(p, m) })
	}), x.Laboratory != nil)
	for _, k := range slices.Concat(blockKeys(s.blocks, "learner", true), blockKeys(s.blocks, "protocol", true), x.Keys, blockKeys(s.blocks, "", false), blockKeys(s.blocks, "world", false)) {
		k.Laboratory = k.Laboratory || k.block != nil && (k.block.section == "" || k.block.section == "world")
		s.keys = inserted(s.keys, k)
	}
	for i, k := range s.keys {
		s.places[k.Name] = i
	}
	return s
}

// inserted returns keys with one more, after the keys of its section, or in place of the one with its name.
func inserted(keys []Key, k Key) []Key {
	at := len(keys)
	for i, other := range keys {
		if other.Name == k.Name {
			k.field = other.field
			keys[i] = k
			return keys
		}
		if other.top() == k.top() {
			at = i + 1
		}
	}
	return slices.Insert(keys, at, k)
}

// mechanisms lists the mechanisms that can be chosen and for which of holds.
func (x *Extension) mechanisms(of func(dp.Mechanism) bool) (names []string) {
	for _, m := range dp.Mechanisms() {
		if of(m) && (x.Papers || !m.Describe().Papers) {
			names = append(names, m.String())
		}
	}
	return names
}

// Zero returns settings of the schema that are all zero.
func (s *Schema) Zero() Settings { return Settings{schema: s} }

// Keys lists all settings. The list must not be changed.
func (s *Schema) Keys() []Key { return s.keys }

// Constraints lists all rules across keys. The list must not be changed.
func (s *Schema) Constraints() []Constraint { return s.with.Constraints }

// Find returns the key with a name.
func (s *Schema) Find(name string) (Key, bool) {
	if i, ok := s.places[name]; ok {
		return s.keys[i], true
	}
	return Key{}, false
}

// hasSection reports whether there are keys in a section, or an entry of a table has that name, which may have no
// parameters.
func (s *Schema) hasSection(name string) bool {
	entry := func(b *block) bool { return b.section+"."+b.name == name }
	return len(s.Under(name)) > 0 || slices.ContainsFunc(s.blocks, entry)
}

// Under returns the names that begin with a section, however deep.
func (s *Schema) Under(section string) []string {
	var under []string
	for _, k := range s.keys {
		if strings.HasPrefix(k.Name, section+".") {
			under = append(under, k.Name)
		}
	}
	return under
}
