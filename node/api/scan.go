package api

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth = 8  // of a body; a batch needs four
	maxFlaws = 8  // reported for one item
	maxName  = 64 // bytes of an unknown field's name in a report

	roomOfNumbers = 512 // numbers for which short lists allocate at once
)

// scanner reads one JSON text, which must be all of b. It is stricter than encoding/json: no
// field twice, no unknown field, exact letters of names, a small depth. Text that is not JSON
// ends the reading with err. JSON that does not fit becomes a flaw, and the scanner reads on. NaN
// and Infinity, which some programs write, are read as values that fit nowhere.
type scanner struct {
	b     []byte
	i     int    // of the next byte
	depth int    // of open objects and lists
	spare bool   // the value being read is of a field that can be left out
	path  []byte // of the value being read: body.rewards[3].value
	flaws []Flaw
	err   error
	read  []float64   // the buffer of numbers, free between its calls
	rows  [][]float64 // of lists of lists, which are copied when their length is known
	room  []float64   // for the next lists of numbers
}

func newScanner(b []byte) *scanner {
	s := &scanner{b: b, path: append(make([]byte, 0, 64), "body"...)}
	switch {
	case len(b) == 0:
		s.fail("an empty body; the shortest is {}")
	case len(b) >= 3 && string(b[:3]) == "\ufeff":
		s.fail("a byte order mark: leave it out")
	case !utf8.Valid(b):
		s.fail("text that is not UTF-8")
	}
	return s
}

// end fails if anything follows.
func (s *scanner) end() {
	if s.space(); s.err == nil && s.i < len(s.b) {
		s.fail("data after the end of the document")
	}
}

// fail ends the reading; found describes the next byte. The first failure is kept.
func (s *scanner) fail(found string) {
	if s.err == nil {
		s.err = fmt.Errorf("the body cannot be read as JSON: at byte %d is %s", s.i, found)
	}
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

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// peek returns the next byte that is not space, or 0 at the end or after a failure.
func (s *scanner) peek() byte {
	if s.space(); s.err != nil || s.i == len(s.b) {
		return 0
	}
	return s.b[s.i]
}

// take moves past c, if it is next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c || c == 0 {
		return false
	}
	s.i++
	return true
}

// enter moves into an object or list.
func (s *scanner) enter(c byte) bool {
	if !s.take(c) {
		return false
	}
	if s.depth++; s.depth > maxDepth {
		s.fail(fmt.Sprintf("nesting deeper than %d", maxDepth))
		return false
	}
	return true
}

// next moves to the next part of an object or list, and reports whether there is one.
func (s *scanner) next(first bool, closing byte) bool {
	if s.take(closing) {
		s.depth--
		return false
	}
	if first {
		return s.err == nil
	}
	if !s.take(',') {
		s.fail(fmt.Sprintf("neither ',' nor '%c'", closing))
		return false
	}
	if s.peek() == closing {
		s.fail("a ',' with nothing after it")
	}
	return s.err == nil
}

// A field is a part of an object.
type field struct {
	name string
	need bool
	read func() // the value
}

// object reads an object, and reports whether it is one.
func (s *scanner) object(fields ...field) bool {
	if !s.enter('{') {
		s.other("want an object")
		return false
	}
	var seen uint
	for first := true; s.next(first, '}'); first = false {
		key := s.name()
		if s.err != nil {
			return false
		}
		k := slices.IndexFunc(fields, func(f field) bool { return f.name == key })
		s.within(key, func() {
			switch {
			case k < 0:
				s.other("is not a field here")
			case seen&(1<<k) != 0:
				s.other("is given twice")
			default:
				seen |= 1 << k
				s.spare = !fields[k].need
				fields[k].read()
			}
		})
	}
	for k, f := range fields {
		if f.need && seen&(1<<k) == 0 && s.err == nil {
			s.within(f.name, func() { s.flaw("is missing") })
		}
	}
	return s.err == nil
}

// name reads the name of a field and moves to its value.
func (s *scanner) name() string {
	key := s.str()
	if s.err == nil && !s.take(':') {
		s.fail("no ':' after a name")
	}
	return key
}

// enough reports whether the rest of a list or object, after n parts, is not read: it is too long, or the item has as many flaws
// as are reported.
func (s *scanner) enough(n int, parts string) bool {
	if n == maxItems {
		s.flaw(fmt.Sprintf("has more than %d %s", maxItems, parts))
	}
	return n >= maxItems || len(s.flaws) == maxFlaws
}

// list reads a list of at most maxItems items, each by a call of read.
func (s *scanner) list(read func()) {
	if !s.enter('[') {
		s.other("want a list")
		return
	}
	n := len(s.path)
	for i := 0; s.next(i == 0, ']'); i++ {
		if s.path = s.path[:n]; s.enough(i, "items") {
			s.skip()
			continue
		}
		s.path = append(strconv.AppendInt(append(s.path[:n], '['), int64(i), 10), ']')
		s.spare = false
		read()
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
	if wrong := check(v); s.err == nil && wrong != "" {
		s.flaw(wrong)
	}
	return v
}

// truth reads true or false.
func (s *scanner) truth() bool {
	switch {
	case s.peek() == 't' && s.word("true"):
		return true
	case s.peek() == 'f' && s.word("false"):
	default:
		s.other("want true or false")
	}
	return false
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
	from := s.i
	if s.number(); s.err != nil {
		return 0
	}
	v, err := strconv.ParseFloat(string(s.b[from:s.i]), 64) // not for -Infinity; out of range for 1e999
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
	if s.err != nil {
		return
	}
	if s.peek() == 'n' && strings.HasPrefix(wrong, "want ") {
		wrong += "; null is not one, " + map[bool]string{true: "leave the field out", false: "and one is needed"}[s.spare]
	}
	s.flaw(wrong)
	s.skip()
}

// skip moves past any value.
func (s *scanner) skip() {
	switch c := s.peek(); {
	case s.err != nil:
	case c == '{':
		s.enter(c)
		for first := true; s.next(first, '}'); first = false {
			s.name()
			s.skip()
		}
	case c == '[':
		s.enter(c)
		for first := true; s.next(first, ']'); first = false {
			s.skip()
		}
	case c == '"':
		s.str()
	case c == '-' || c >= '0' && c <= '9':
		s.number()
	default:
		for _, word := range [...]string{"true", "false", "null", "NaN", "Infinity"} {
			if s.word(word) {
				return
			}
		}
		s.fail("no value")
	}
}

func (s *scanner) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}

// str reads a string.
func (s *scanner) str() string {
	if !s.take('"') {
		s.fail("no string")
		return ""
	}
	from, escaped := s.i, false
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"':
			raw := s.b[from:s.i]
			s.i++
			if !escaped {
				return string(raw)
			}
			var v string
			if err := json.Unmarshal(s.b[from-1:s.i], &v); err != nil {
				s.fail("the end of a string with a wrong escape")
			}
			return v
		case c == '\\':
			escaped = true
			s.i++ // an escaped quote does not end the string
		case c < ' ':
			s.fail("a control character in a string")
			return ""
		}
	}
	s.i = len(s.b)
	s.fail("the end, within a string")
	return ""
}

// number moves past a number, or -Infinity.
func (s *scanner) number() {
	if s.b[s.i] == '-' {
		if s.i++; s.word("Infinity") {
			return
		}
	}
	if lead := s.i; s.digits() > 1 && s.b[lead] == '0' {
		s.fail("a number that begins with 0")
		return
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		s.digits()
	}
	if s.i < len(s.b) && (s.b[s.i] == 'e' || s.b[s.i] == 'E') {
		if s.i++; s.i < len(s.b) && strings.IndexByte("+-", s.b[s.i]) >= 0 {
			s.i++
		}
		s.digits()
	}
}

// digits moves past digits, of which there must be at least one, and returns their number.
func (s *scanner) digits() int {
	from := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	if s.i == from {
		s.fail("no digit")
	}
	return s.i - from
}
