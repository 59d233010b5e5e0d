package config

import (
	"reflect"
	"slices"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
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

// Schema returns the schema of the settings.
func (s *Settings) Schema() *Schema {
	if s.schema == nil {
		return Site()
	}
	return s.schema
}

// A Constraint is a rule across keys.
type Constraint struct {
	Keys []string // the first is refused; each of them is valid by itself
	// Broken returns how to fix s, naming the other keys; "" if the constraint holds.
	Broken func(s *Settings) string
}

// Nearest returns the key that name may have been meant to be, or "": the one that is one
// typing error away, else the only one with that last word, else the one with the fewest typing
// errors.
func (s *Schema) Nearest(name string) string {
	var all, same []string
	_, last := cutLast(name)
	for _, k := range s.keys {
		if all = append(all, k.Name); k.Last() == last {
			same = append(same, k.Name)
		}
	}
	best := NearestOf(name, all)
	if len(same) == 1 && (best == "" || distance(name, best) > 1) {
		return same[0]
	}
	return best
}

// sort puts problems in the order of the schema, those with unknown keys
// last.
func (s *Schema) sort(problems []Problem) {
	order := make(map[string]int) // never ranged over
	for i, k := range s.keys {
		order[k.Name] = i - len(s.keys)
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if d := order[a.Key] - order[b.Key]; d != 0 {
			return d
		}
		return strings.Compare(a.Key, b.Key)
	})
}

// Kind returns the kind of the values of a key, which must be of the schema.
func (s *Schema) Kind(key string) reflect.Kind {
	zero := s.Zero()
	return zero.Value(key).Kind()
}
