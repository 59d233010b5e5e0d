package config

import "reflect"

// A field is where settings have the value of a key.
type field struct {
	block *block // nil for a field of Settings
	index []int  // in Settings, or in the parameters of block
}

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

// Kind returns the kind of the values of a key, which must be of the schema.
func (s *Schema) Kind(key string) reflect.Kind {
	zero := s.Zero()
	return zero.Value(key).Kind()
}

// Values returns every setting as text for a file or for --set.
func (s *Settings) Values() map[string]string {
	texts := make(map[string]string)
	for _, k := range s.Schema().keys {
		texts[k.Name] = ValueText(s.Value(k.Name).Interface())
	}
	return texts
}
