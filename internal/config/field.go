package config

import (
	"reflect"
	"strings"
	"sync"
)

// A field is one value of Settings.
type field struct {
	key   string
	index []int  // in Settings, or in the parameters of block
	block *block // nil for what Settings itself holds
}

// fields lists the values of Settings in the order of its source. The list is shared and
// not to be changed.
//
//nolint:gochecknoglobals // made once, then only read
var fields = sync.OnceValue(func() []field {
	return appendFields(nil, reflect.TypeFor[Settings](), "", nil)
})

func appendFields(list []field, t reflect.Type, prefix string, index []int) []field {
	for i := range t.NumField() {
		f := t.Field(i)
		key := fieldKey(f)
		at := append(index[:len(index):len(index)], i)
		switch {
		case f.Type == reflect.TypeFor[Params]():
			list = appendBlocks(list, strings.TrimSuffix(prefix, "."))
		case f.Type.Kind() == reflect.Struct:
			list = appendFields(list, f.Type, prefix+key+".", at)
		default:
			list = append(list, field{prefix + key, at, nil})
		}
	}
	return list
}

// appendBlocks appends the parameters of a table's entries.
func appendBlocks(list []field, section string) []field {
	for _, b := range blocks() {
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
	for _, f := range fields() {
		switch {
		case f.key != key:
		case f.block != nil:
			return reflect.ValueOf(s.params(f.block.section).of(f.block.section, f.block.name)).FieldByIndex(f.index)
		default:
			return reflect.ValueOf(s).Elem().FieldByIndex(f.index)
		}
	}
	panic("peerd: no setting has the key " + key)
}

// Values returns every setting as text for a file or for --set.
func (s *Settings) Values() map[string]string {
	texts := make(map[string]string)
	for _, f := range fields() {
		texts[f.key] = ValueText(s.Value(f.key).Interface())
	}
	return texts
}
