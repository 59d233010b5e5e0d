package config

import (
	"reflect"
	"slices"
	"strings"
)

// A field is one value of Settings.
type field struct {
	key   string
	index []int  // in Settings, or in the parameters of block
	block *block // nil for what Settings itself holds
}

// fieldsOf lists the values of Settings that have one of the keys, in the order of its source.
func fieldsOf(keys []Key, blocks []block) []field {
	known := make(map[string]bool) // never ranged over
	for _, k := range keys {
		known[k.Name] = true
	}
	all := appendFields(nil, blocks, reflect.TypeFor[Settings](), "", nil)
	return slices.DeleteFunc(all, func(f field) bool { return !known[f.key] })
}

func appendFields(list []field, blocks []block, t reflect.Type, prefix string, index []int) []field {
	for i := range t.NumField() {
		f := t.Field(i)
		key := fieldKey(f)
		at := append(index[:len(index):len(index)], i)
		switch {
		case !f.IsExported():
		case f.Type == reflect.TypeFor[Params]():
			list = appendBlocks(list, blocks, strings.TrimSuffix(prefix, "."))
		case f.Type.Kind() == reflect.Struct:
			list = appendFields(list, blocks, f.Type, prefix+key+".", at)
		default:
			list = append(list, field{prefix + key, at, nil})
		}
	}
	return list
}

// appendBlocks appends the parameters of a table's entries.
func appendBlocks(list []field, blocks []block, section string) []field {
	for _, b := range blocks {
		if b.section != section {
			continue
		}
		t := reflect.TypeOf(b.standard)
		for i := range t.NumField() {
			list = append(list, field{section + "." + b.name + "." + fieldKey(t.Field(i)), []int{i}, &b})
		}
	}
	return list
}

// Value returns the value of a key, which must be of the schema. It can be set unless it is
// a parameter of an entry.
func (s *Settings) Value(key string) reflect.Value {
	for _, f := range s.Schema().fields {
		switch {
		case f.key != key:
		case f.block != nil:
			return reflect.ValueOf(s.Entry(f.block.section, f.block.name)).FieldByIndex(f.index)
		default:
			return reflect.ValueOf(s).Elem().FieldByIndex(f.index)
		}
	}
	panic("peerd: no setting has the key " + key)
}

// Kind returns the kind of the values of a key, which must be of the schema.
func (s *Schema) Kind(key string) reflect.Kind {
	zero := s.Zero()
	return zero.Value(key).Kind()
}

// Values returns every setting as text for a file or for --set.
func (s *Settings) Values() map[string]string {
	texts := make(map[string]string)
	for _, f := range s.Schema().fields {
		texts[f.key] = ValueText(s.Value(f.key).Interface())
	}
	return texts
}
