package config

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/protocol"
	"peerd.dev/protocol/table"
)

// Params hold the parameters of the entries of a table, or sections, by name, each a struct. Missing ones have
// their defaults. A Params is never changed, only replaced.
type Params map[string]any

// With returns p with the parameters of one entry.
func (p Params) With(name string, params any) Params {
	q := maps.Clone(p)
	if q == nil {
		q = make(Params)
	}
	q[name] = params
	return q
}

// A block has the parameters of one entry: the keys <section>.<name>.<field>. The section of an extension's section is
// empty.
type block struct {
	section, name, summary string
	standard               any // the defaults, a struct
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

// fieldKey returns the last word of the key of a field.
func fieldKey(f reflect.StructField) string {
	if key := f.Tag.Get("key"); key != "" {
		return key
	}
	return strings.ToLower(f.Name)
}

// tagged describes the settings that the fields of a struct are, by their tags. The fields of a struct in it have its name before
// theirs. Rules are those that tags call by a name.
func tagged(v reflect.Value, prefix string, at field, rules map[string]Rule) (keys []Key) {
	for i := range v.NumField() {
		f, tag := v.Type().Field(i), v.Type().Field(i).Tag.Get
		want, is := f.Tag.Lookup("want")
		k := Key{
			Name: prefix + fieldKey(f), Example: tag("example"), Begin: tag("begin"), Unit: tag("unit"), Doc: tag("doc"), Page: tag("page"),
			Shared: tag("shared") != "", Fixed: tag("fixed") != "", Later: tag("later") == "yes", Changes: tag("changes") != "", Laboratory: tag("lab") != "",
			field: field{at.block, append(at.index[:len(at.index):len(at.index)], i)},
		}
		if b := at.block; b != nil {
			// The entry, of several with one type, that has the key, and has it since a later build.
			if only := tag("only"); only != "" && only != b.name {
				continue
			}
			k.Later = k.Later || tag("later") == b.name
		}
		switch standard, ok := f.Tag.Lookup("default"); {
		case !is && f.Type.Kind() == reflect.Struct:
			keys = append(keys, tagged(v.Field(i), k.Name+".", k.field, rules)...)
			continue
		case !is:
			continue
		case ok || k.Example != "":
			k.Default = standard
		default:
			k.Default = ValueText(v.Field(i).Interface())
		}
		if k.Rule, is = rules[want]; !is {
			k.Rule = wanted(want)
		}
		keys = append(keys, k)
	}
	return keys
}

// blockKeys describes the parameters of the entries of a section, which peers have to agree on if they are shared.
func blockKeys(blocks []*block, section string, shared bool) (keys []Key) {
	for _, b := range blocks {
		if b.section != section {
			continue
		}
		rules := map[string]Rule(nil)
		if r, ok := b.standard.(interface{ Rules() map[string]Rule }); ok {
			rules = r.Rules()
		}
		for _, k := range tagged(reflect.ValueOf(b.standard), strings.TrimPrefix(section+"."+b.name+".", "."), field{block: b}, rules) {
			k.Shared = k.Shared || shared || k.Fixed && section != ""
			keys = append(keys, k)
		}
	}
	return keys
}

// wanted makes a rule from a tag. A tag is part of the program, so a wrong one panics; a test
// reads them all.
func wanted(tag string) Rule {
	switch tag {
	case "true|false":
		return YesNo()
	case "path":
		return pathText(false)
	case "command":
		return Holds("a list of words, such as [python3, my.py]", func(v reflect.Value) bool {
			return !slices.ContainsFunc(v.Interface().([]string), func(word string) bool { return word == "" || strings.ContainsRune(word, 0) })
		})
	case "rows of numbers":
		return finiteRows("a list of rows of numbers: one row for all sites, or several that sites take in turn, each as long as arms")
	case "odd sites":
		return finiteRows("a list of rows of a site, an arm and its mean there, or []")
	case "rows of three numbers":
		return finiteRows("a list of rows of three numbers, or []")
	case "vectors":
		return finiteRows("a list of rows of numbers, one row for each action in the order of arms, or []")
	case "probability":
		return Number("a probability from 0 to below 1", func(x float64) bool { return x >= 0 && x < 1 })
	case "over 0":
		return Number("a number over 0", func(x float64) bool { return x > 0 && !math.IsInf(x, 0) })
	}
	var lo, hi float64
	if n, _ := fmt.Sscanf(tag, "over %g up to %g", &lo, &hi); n == 2 {
		return Number("a number "+tag, func(x float64) bool { return x > lo && x <= hi })
	}
	for _, form := range []string{"%g up to %g", "%g to %g"} {
		if n, _ := fmt.Sscanf(tag, form, &lo, &hi); n == 2 {
			return Number("a number from "+tag, func(x float64) bool { return x >= lo && x <= hi })
		}
	}
	if from, to, ok := strings.Cut(tag, ".."); ok {
		least, err := strconv.ParseUint(from, 10, 64)
		most := uint64(math.MaxUint64)
		if err == nil && to != "" {
			most, err = strconv.ParseUint(to, 10, 64)
		}
		if err == nil {
			return Whole(least, most)
		}
		short, err := time.ParseDuration(from)
		if long, bad := time.ParseDuration(to); err == nil && bad == nil {
			return between(short, long)
		}
	}
	if words := strings.Split(tag, "|"); len(words) > 1 {
		return OneOf(words...)
	}
	panic(fmt.Sprintf("peerd: no rule for the tag %q", tag))
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

// entryNames returns the names of a table and what they mean, for the setting that chooses one.
func entryNames(blocks []*block, section string) (names []string, summaries string) {
	verb := " "
	if section == "protocol" {
		verb = " is "
	}
	var all []string
	for _, b := range blocks {
		if b.section == section {
			names, all = append(names, b.name), append(all, b.name+verb+b.summary)
		}
	}
	return names, strings.Join(all, "; ")
}
