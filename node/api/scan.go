package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxFlaws = 8  // reported for one item
	maxName  = 64 // bytes of an unknown field's name in a report

	roomOfNumbers = 512 // numbers for which short lists allocate at once
)

// scanner reads one JSON text, which package json has found valid, and is stricter than that package: no field twice, no
// unknown field, exact letters of names, no null. What does not fit becomes a flaw, and the scanner reads on.
type scanner struct {
	b     []byte
	i     int    // of the next byte
	spare bool   // the value being read is of a field that can be left out
	nulls bool   // null is what was written, and not NaN or Infinity
	path  []byte // of the value being read: body.rewards[3].value
	flaws []Flaw
	read  []float64   // the buffer of numbers, free between its calls
	rows  [][]float64 // of lists of lists, which are copied when their length is known
	room  []float64   // for the next lists of numbers
}

// notNumbers matches what some programs write as numbers, which JSON has not, and texts, in which it may occur.
var notNumbers = regexp.MustCompile(`"(?:\\.|[^"\\])*"|NaN|-?Infinity`)

// newScanner returns a scanner, or why a text is not JSON. NaN and Infinity are read as null, so that they spoil their item only.
func newScanner(b []byte) (*scanner, error) {
	switch {
	case len(b) == 0:
		return nil, errors.New("the body is empty; the shortest is {}")
	case bytes.HasPrefix(b, []byte("\ufeff")):
		return nil, errors.New("the body begins with a byte order mark: leave it out")
	case !utf8.Valid(b):
		return nil, errors.New("the body is not UTF-8")
	}
	valid := json.Valid(b)
	if !valid {
		null, written := []byte("null"), b
		if bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Infinity")) {
			b = notNumbers.ReplaceAllFunc(b, func(x []byte) []byte {
				if x[0] == '"' {
					return x
				}
				return null
			})
		}
		if !json.Valid(b) {
			wrong := new(json.SyntaxError)
			errors.As(json.Unmarshal(written, new(json.RawMessage)), &wrong) // its text has a byte of the body, which may be of a reward
			return nil, fmt.Errorf("the body cannot be read as JSON from byte %d on; the shortest is {}", wrong.Offset)
		}
	}
	return &scanner{b: b, nulls: valid, path: append(make([]byte, 0, 64), "body"...)}, nil
}

// flaw reports what is wrong with the value being read, never the value itself.
func (s *scanner) flaw(reason string) {
	if len(s.flaws) < maxFlaws {
		s.flaws = append(s.flaws, Flaw{Location: string(s.path), Message: reason})
	}
}

// within runs f with name appended to the path.
func (s *scanner) within(name string, f func()) {
	n := len(s.path)
	s.path = append(append(s.path, '.'), name[:min(len(name), maxName)]...)
	f()
	s.path = s.path[:n]
}

// peek returns the next byte that is not space.
func (s *scanner) peek() byte {
	for space(s.b[s.i]) {
		s.i++
	}
	return s.b[s.i]
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// take moves past c, if it is next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.i++
	return true
}

// raw moves past the next value, and returns its text.
func (s *scanner) raw() []byte {
	s.peek()
	from := s.i
	for depth := 0; ; {
		switch c := s.b[s.i]; {
		case c == '"':
			for s.i++; s.b[s.i] != '"'; s.i++ {
				if s.b[s.i] == '\\' {
					s.i++ // an escaped quote does not end the string
				}
			}
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case depth == 0: // a number, or a word
			for s.i+1 < len(s.b) && !space(s.b[s.i+1]) && s.b[s.i+1] != ',' && s.b[s.i+1] != ']' && s.b[s.i+1] != '}' {
				s.i++
			}
		}
		if s.i++; depth == 0 {
			return s.b[from:s.i]
		}
	}
}

// str reads a string.
func (s *scanner) str() (v string) {
	text := s.raw()
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	_ = json.Unmarshal(text, &v) // it is valid
	return v
}

// A field is a part of an object.
type field struct {
	name string
	need bool
	want string // what follows when it is missing
	read func() // the value
	seen bool
}

// object reads an object, and reports whether it is one.
func (s *scanner) object(fields ...field) bool {
	if !s.take('{') {
		s.other("want an object")
		return false
	}
	for ; !s.take('}'); s.take(',') {
		key := s.str()
		s.take(':')
		k := slices.IndexFunc(fields, func(f field) bool { return f.name == key })
		s.within(key, func() {
			switch {
			case k < 0:
				s.other("is not a field here; they are " + names(fields))
			case fields[k].seen:
				s.other("is given twice")
			default:
				fields[k].seen = true
				s.spare = !fields[k].need
				fields[k].read()
			}
		})
	}
	for _, f := range fields {
		if f.need && !f.seen {
			s.within(f.name, func() { s.flaw("is missing" + f.want) })
		}
	}
	return true
}

func names(of []field) (all string) {
	for i := range of {
		all += ", " + of[i].name
	}
	return all[len(", "):]
}

// enough reports whether the rest of a list, after n items, is not read: it is too long, or what is read has as many flaws
// as are reported.
func (s *scanner) enough(n int) bool {
	if n == maxItems {
		s.flaw(fmt.Sprintf("has more than %d items", maxItems))
	}
	return n >= maxItems || len(s.flaws) == maxFlaws
}

// list reads a list of at most maxItems items, each by a call of read.
func (s *scanner) list(read func()) {
	if !s.take('[') {
		s.other("want a list")
		return
	}
	n := len(s.path)
	for i := 0; !s.take(']'); s.take(',') {
		if s.path = s.path[:n]; s.enough(i) {
			s.raw()
		} else {
			s.path = append(strconv.AppendInt(append(s.path, '['), int64(i), 10), ']')
			s.spare = false
			read()
		}
		i++
	}
	s.path = s.path[:n]
}

// numbers reads a list of finite numbers. It allocates the list after reading it: allocating an
// expected length would let empty lists cost memory that no byte of the body pays for. Short
// lists, of which a body has many, share allocations.
func (s *scanner) numbers() []float64 {
	s.read = s.read[:0]
	s.list(func() { s.read = append(s.read, s.finite()) })
	n := len(s.read)
	if n > len(s.room) {
		s.room = make([]float64, max(n, min(roomOfNumbers, len(s.b)/2)))
	}
	x := s.room[:n:n]
	s.room = s.room[n:]
	copy(x, s.read)
	return x
}

// text reads a string and reports a flaw if check returns one.
func (s *scanner) text(check func(string) (wrong string)) string {
	if s.peek() != '"' {
		s.other("want a string")
		return ""
	}
	v := s.str()
	if wrong := check(v); wrong != "" {
		s.flaw(wrong)
	}
	return v
}

// truth reads true or false.
func (s *scanner) truth() bool {
	c := s.peek()
	if c != 't' && c != 'f' {
		s.other("want true or false")
	} else {
		s.raw()
	}
	return c == 't'
}

// finite reads any number that a float64 holds, rounded to the nearest.
func (s *scanner) finite() float64 {
	return s.float(-math.MaxFloat64, math.MaxFloat64, "want a finite number")
}

// float reads a number between two others.
func (s *scanner) float(least, most float64, want string) float64 {
	if c := s.peek(); c != '-' && (c < '0' || c > '9') {
		s.other(want)
		return 0
	}
	v, err := strconv.ParseFloat(string(s.raw()), 64) // out of range for 1e999
	if err != nil || !(v >= least && v <= most) {
		s.flaw(want)
		return 0
	}
	if v == 0 {
		return 0 // not -0
	}
	return v
}

// other moves past a value that does not fit and reports what is wrong with it.
func (s *scanner) other(wrong string) {
	if s.nulls && s.peek() == 'n' && strings.HasPrefix(wrong, "want ") {
		wrong += "; null is not one, " + map[bool]string{true: "leave the field out", false: "and one is needed"}[s.spare]
	}
	s.flaw(wrong)
	s.raw()
}
