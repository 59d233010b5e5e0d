package config

import (
	"reflect"
	"strings"
)

// A field is one value of Settings.
type field struct {
	key   string
	index []int
	typ   reflect.Type
}

// fields lists the values of Settings in the order of its source.
func fields() []field {
	return appendFields(nil, reflect.TypeFor[Settings](), "", nil)
}

func appendFields(list []field, t reflect.Type, prefix string, index []int) []field {
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("key")
		if key == "" {
			key = strings.ToLower(f.Name)
		}
		at := append(index[:len(index):len(index)], i)
		if f.Type.Kind() == reflect.Struct {
			list = appendFields(list, f.Type, prefix+key+".", at)
		} else {
			list = append(list, field{prefix + key, at, f.Type})
		}
	}
	return list
}

// Value returns the value of a key, which must be of the schema.
func (s *Settings) Value(key string) reflect.Value {
	for _, f := range fields() {
		if f.key == key {
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
