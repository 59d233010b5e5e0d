package ledger

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"unicode"
)

// maxText bounds a text in bytes.
const maxText = 256

// A field is one of a line: its name, and a pointer that encoding/json reads and writes.
type field struct {
	name  string
	value any
}

// optional reports whether a field is absent if it is empty, as in records of earlier programs.
func optional(name string) bool { return name == "tags" || name == "commitment" }

// write appends an object to b, with its fields in their order and without spaces. Its texts have nothing that JSON would escape.
func write(b []byte, fields []field) ([]byte, error) {
	var out bytes.Buffer
	e := encoder(&out)
	for _, f := range fields {
		before := out.Len()
		out.WriteString(`,"` + f.name + `":`)
		empty := out.Len() + len("\"\"\n")
		if err := e.Encode(f.value); err != nil {
			return nil, fmt.Errorf("%w: %s %w", ErrForm, f.name, err)
		}
		if out.Len() == empty && optional(f.name) {
			out.Truncate(before)
		} else {
			out.Truncate(out.Len() - len("\n"))
		}
	}
	out.WriteByte('}')
	line := out.Bytes()
	line[0] = '{'
	line = bytes.ReplaceAll(line, []byte(`\u2028`), []byte("\u2028")) // which package json escapes for JavaScript
	line = bytes.ReplaceAll(line, []byte(`\u2029`), []byte("\u2029"))
	quote := []byte{'"'}
	for rest := line; len(rest) > 0; {
		var text []byte
		_, rest, _ = bytes.Cut(rest, quote)
		if text, rest, _ = bytes.Cut(rest, quote); len(text) > maxText || bytes.ContainsFunc(text, escaped) {
			return nil, fmt.Errorf("%w: %.300q, want texts of at most %d bytes of UTF-8 without quotes, backslashes and control characters", ErrForm, text, maxText)
		}
	}
	return append(b, line...), nil
}

func encoder(out *bytes.Buffer) *json.Encoder {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e
}

// escaped reports whether a text must not have a character: package json escapes quotes, and nearly all of these.
func escaped(r rune) bool { return r == '\\' || unicode.IsControl(r) }

// read reads what write wrote into the fields of a kind. Every content has exactly one line: it refuses a line that write would
// write otherwise.
func read(line []byte, of func(Kind) []field) error {
	values := make(map[string]json.RawMessage)
	if err := json.Unmarshal(line, &values); err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	kind := bytes.Trim(values["kind"], `"`)
	fields := of(Kind(kind))
	if fields == nil {
		return fmt.Errorf("%w: no kind of record is called %q", ErrForm, kind)
	}
	for _, f := range fields {
		if value, ok := values[f.name]; ok {
			if err := json.Unmarshal(value, f.value); err != nil {
				return fmt.Errorf("%w: %s %w", ErrForm, f.name, err)
			}
		}
	}
	again, err := write(nil, fields)
	if err != nil {
		return err
	}
	if same := 0; !bytes.Equal(line, again) {
		for same < min(len(line), len(again)) && line[same] == again[same] {
			same++
		}
		return fmt.Errorf("%w: byte %d: want %.40s", ErrForm, same+1, again[same:])
	}
	return nil
}

// An array is the value of a field with at most most values.
type array[T any] struct {
	of   *[]T
	most int
}

// MarshalJSON writes an array, also for nil.
func (a *array[T]) MarshalJSON() ([]byte, error) {
	if len(*a.of) > a.most {
		return nil, fmt.Errorf("has %d values, at most %d", len(*a.of), a.most)
	}
	var b bytes.Buffer
	err := encoder(&b).Encode(append([]T{}, *a.of...))
	return b.Bytes(), err
}

// UnmarshalJSON reads an array.
func (a *array[T]) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, a.of) }

// A name is the value of a field that holds one of some values by its name.
type name[T interface {
	comparable
	fmt.Stringer
}] struct {
	of  *T
	all []T
}

// MarshalText returns the name.
func (n *name[T]) MarshalText() ([]byte, error) {
	if !slices.Contains(n.all, *n.of) {
		return nil, fmt.Errorf("%v has no name", *n.of)
	}
	return []byte((*n.of).String()), nil
}

// UnmarshalText finds the value with a name.
func (n *name[T]) UnmarshalText(b []byte) error {
	i := slices.IndexFunc(n.all, func(v T) bool { return v.String() == string(b) })
	if i < 0 {
		return fmt.Errorf("%q is unknown to this build", b)
	}
	*n.of = n.all[i]
	return nil
}

// digits are bytes whose text is lower-case hex.
type digits []byte

// MarshalText returns the hex digits.
func (d digits) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d), nil }

// UnmarshalText reads exactly as many bytes as d has.
func (d digits) UnmarshalText(b []byte) error {
	read, err := hex.DecodeString(string(b))
	if err != nil || len(read) != len(d) || bytes.ContainsAny(b, "ABCDEF") {
		return fmt.Errorf("is not %d digits of lower-case hex", 2*len(d))
	}
	copy(d, read)
	return nil
}
