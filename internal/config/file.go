package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A fileReader collects what a file says. Nothing in a file is passed over except known keys and sections without a
// value: what has no meaning, or two, is a problem.
type fileReader struct {
	schema   *Schema
	file     string
	values   map[string]any // by key, also by unknown ones; nil for an unknown key without a value
	lines    map[string]int // of keys and sections, in lower case
	problems []Problem
}

// readFile reads a file, unless its name is "". A text takes the place of what is on disk.
func (s *Schema) readFile(file string, text []byte) (*fileReader, error) {
	r := &fileReader{schema: s, file: file, values: make(map[string]any), lines: make(map[string]int)}
	if file == "" {
		return r, nil
	}
	b, err := text, error(nil)
	if b == nil {
		b, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, Failf(ErrRefused, "configuration not read: %w; `peerd init` writes one", err)
	}
	var document yaml.Node
	if err = readYAML(b, &document); err != nil {
		return nil, Failf(ErrRefused, "configuration %s refused: %s", file, yamlTrouble(err))
	}
	for _, top := range document.Content { // one, or none in an empty file
		if top.Kind != yaml.MappingNode && !empty(top) {
			return nil, Failf(ErrRefused, "configuration %s refused: line %d: want keys with values, such as mode: live", file, top.Line)
		}
		if r.scan("", top); len(r.problems) > 0 {
			return nil, &Refusal{"configuration " + file, r.problems}
		}
		r.section("", top)
	}
	return r, nil
}

// readYAML decodes the one document of a file. A second one would be ignored.
func readYAML(b []byte, to any) error {
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	err := d.Decode(to)
	if errors.Is(err, io.EOF) { // an empty file
		return nil
	}
	if err != nil {
		return err
	}
	var second yaml.Node
	switch err = d.Decode(&second); {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		err = fmt.Errorf("line %d: a second document begins here: want one", second.Line)
	}
	return err
}

// empty reports whether a node is no value. With a tag it says something.
func empty(n *yaml.Node) bool { return n.ShortTag() == "!!null" && n.Style&yaml.TaggedStyle == 0 }

// scan refuses keys that cannot name anything, and keys that occur twice: in one spelling or two, with dots or in
// sections. It follows no alias, so it ends.
func (r *fileReader) scan(path string, n *yaml.Node) {
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			r.scan(fmt.Sprintf("%s[%d].", strings.TrimSuffix(path, "."), i), child)
		case i%2 == 1:
			r.scan(path+n.Content[i-1].Value+".", child)
		case child.Kind != yaml.ScalarNode || child.ShortTag() == "!!merge":
			r.refuse(fmt.Sprintf("line %d", child.Line), "want the name of a setting before a colon; no list, alias or << is read there")
		default:
			name := path + child.Value
			folded := strings.ToLower(name)
			if before, twice := r.lines[folded]; twice {
				r.refuse(name, "it is set on line %d and on line %d: want it once", before, child.Line)
			}
			r.lines[folded] = child.Line
		}
	}
}

// section reads the keys of a section.
func (r *fileReader) section(prefix string, n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := prefix+n.Content[i].Value, n.Content[i+1]
		k, known := r.schema.Find(name)
		_, was := ended(name)
		section := r.schema.hasSection(name)
		switch {
		case empty(value) && (known || was || section):
		case empty(value):
			r.values[name] = nil
		case known:
			r.value(k, value)
		case value.Kind == yaml.MappingNode && (section || len(value.Content) > 0):
			r.section(name+".", value)
		case value.Kind == yaml.AliasNode && value.Alias.Kind == yaml.MappingNode:
			r.refuse(name, "line %d: a section cannot be an alias: write its keys here", value.Line)
		default:
			var v any
			if value.Decode(&v) != nil {
				v = value.Value
			}
			r.values[name] = v
		}
	}
}

// value reads the value of a key.
func (r *fileReader) value(k Key, n *yaml.Node) {
	var v any
	err := n.Decode(&v)
	p := Problem{Key: k.Name, Reason: r.strayItem(k.Name, n), From: r.where(k.Name)}
	switch {
	case p.Reason != "":
	case err != nil:
		p.Reason = yamlTrouble(err)
	case v == nil:
		p.Reason = "want " + k.Want()
	case reflect.TypeOf(v).Kind() == reflect.Map:
		p.Value, p.Reason = "a section", "want "+k.Want()
	default:
		r.values[k.Name] = v
		return
	}
	r.problems = append(r.problems, p)
}

// strayItem returns which item of a list of names, in the value of a key or of one in a cell, is no text; "" for none.
// YAML reads such an item as a value that is written in more than one way, so that it is not the name in the file.
func (r *fileReader) strayItem(name string, n *yaml.Node) string {
	kinds := map[string]string{"!!int": "a number", "!!float": "a number", "!!bool": "a truth value", "!!null": "null", "!!timestamp": "a date"}
	names := n.Kind == yaml.SequenceNode && r.schema.holdsNames(name)
	for i, child := range n.Content {
		is, stray := kinds[child.ShortTag()]
		switch {
		case names && stray && child.Value != "":
			return fmt.Sprintf("item %d is %s (%s): put names in quotes: %s", i, is, child.Value, quoted(n.Content))
		case n.Kind == yaml.MappingNode && i%2 == 0:
		case n.Kind == yaml.MappingNode:
			name = n.Content[i-1].Value
			fallthrough
		default:
			if item := r.strayItem(name, child); item != "" {
				return item
			}
		}
	}
	return ""
}

// holdsNames reports whether the value of a key is a list of text.
func (s *Schema) holdsNames(key string) bool {
	if _, ok := s.Find(key); !ok {
		return false
	}
	zero := s.Zero()
	return zero.Value(key).Type() == reflect.TypeFor[[]string]()
}

// quoted writes the text of items with quotes, as a list.
func quoted(items []*yaml.Node) string {
	var all []string
	for _, n := range items {
		all = append(all, strconv.Quote(n.Value))
	}
	return "[" + Short(strings.Join(all, ", ")) + "]"
}

// where names the place of a key or a section in the file; empty if it is not there.
func (r *fileReader) where(name string) string {
	line, ok := r.lines[strings.ToLower(name)]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s:%d", r.file, line)
}

func (r *fileReader) refuse(name, reason string, args ...any) {
	r.problems = append(r.problems, Problem{Key: name, Reason: fmt.Sprintf(reason, args...)})
}
