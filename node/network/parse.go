package network

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// What a book shows takes less memory than perByte bytes for each byte of its text, which has the names of fields, and a few
// bytes more at its beginning.
const (
	perByte = 4
	begin   = 4 << 10
)

// ParseState reads what another peer shows of its record. It counts what the text asks for before it makes any of it:
// encoding/json makes an element of a list of anything, so that two bytes of a frame would take hundreds of memory.
func ParseState(b []byte) (*State, error) {
	if !json.Valid(b) {
		return nil, refuse("what a peer shows is not JSON")
	}
	c := counter{b: b, fields: make(map[reflect.Type]map[string]reflect.Type)}
	if err := c.value(reflect.TypeFor[State]()); err != nil {
		return nil, err
	}
	var s State
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, refuse("%v", err)
	}
	return &s, nil
}

// A counter walks through valid JSON that has the form of a type, and counts the memory that its elements take.
type counter struct {
	b      []byte
	i      int // of the next byte
	took   int
	fields map[reflect.Type]map[string]reflect.Type // of structs, by name
}

// next returns the first byte of the next name, value or end.
func (c *counter) next() byte {
	for strings.IndexByte(" \t\r\n,:", c.b[c.i]) >= 0 {
		c.i++
	}
	return c.b[c.i]
}

// take counts the memory of one value of a type.
func (c *counter) take(t reflect.Type) error {
	if c.took += int(t.Size()); c.took > begin+perByte*c.i {
		return refuse("the first %d bytes take %d of memory", c.i, c.took)
	}
	return nil
}

// value moves past a value of a type. Lists can be null.
func (c *counter) value(t reflect.Type) error {
	first, kind := c.next(), t.Kind()
	switch {
	case kind == reflect.Pointer:
		if err := c.take(t.Elem()); err != nil {
			return err
		}
		return c.value(t.Elem())
	case first == 'n' && kind == reflect.Slice:
		c.i += len("null")
		return nil
	case first == '"' && (kind == reflect.String || t == reflect.TypeFor[[]byte]() || t == reflect.TypeFor[time.Time]()):
		c.text()
		return nil
	case first == '{' && kind == reflect.Struct:
		return c.object(t)
	case first == '[' && (kind == reflect.Slice || kind == reflect.Array) && t != reflect.TypeFor[[]byte]():
		return c.list(t.Elem())
	case kind <= reflect.Float64 && (first == '-' || first >= '0' && first <= '9'):
		c.i += bytes.IndexAny(c.b[c.i:], ",]} \t\r\n")
		return nil
	}
	return refuse("at byte %d of what a peer shows: want %v", c.i, t)
}

func (c *counter) object(t reflect.Type) error {
	for c.i++; c.next() != '}'; {
		name := c.text()
		f, ok := c.fieldsOf(t)[string(name)]
		if !ok {
			return refuse("unknown field %.70q", name)
		}
		if err := c.value(f); err != nil {
			return err
		}
	}
	c.i++
	return nil
}

func (c *counter) list(of reflect.Type) error {
	for c.i++; c.next() != ']'; {
		if err := c.take(of); err != nil {
			return err
		}
		if err := c.value(of); err != nil {
			return err
		}
	}
	c.i++
	return nil
}

// text moves past a string and returns it as it stands.
func (c *counter) text() []byte {
	from := c.i + 1
	for c.i = from; c.b[c.i] != '"'; c.i++ {
		if c.b[c.i] == '\\' {
			c.i++
		}
	}
	c.i++
	return c.b[from : c.i-1]
}

// fieldsOf returns the types of a struct's fields, by name.
func (c *counter) fieldsOf(t reflect.Type) map[string]reflect.Type {
	if c.fields[t] == nil {
		c.fields[t] = make(map[string]reflect.Type)
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				c.fields[t][name] = f.Type
			}
		}
	}
	return c.fields[t]
}
