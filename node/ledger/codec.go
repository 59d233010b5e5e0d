package ledger

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds a text in bytes.
const maxText = 256

// A codec writes or reads one line. The same calls do both, so that a line is described once: an
// object with its fields in a fixed order, no spaces, numbers as decimal integers in their
// shortest form, texts without anything that JSON would escape. So every content has exactly one
// line. The codec keeps the first error.
type codec struct {
	reading bool
	b       []byte // written so far, or the line to read
	at      int    // bytes read
	n       int    // fields
	err     error
}

func (c *codec) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrForm, fmt.Sprintf(format, args...))
	}
}

// done returns the first error, such as bytes left over.
func (c *codec) done() error {
	if c.reading && c.err == nil && c.at < len(c.b) {
		c.fail("%d bytes after the end of the record", len(c.b)-c.at)
	}
	return c.err
}

// lit writes s, or reads exactly s.
func (c *codec) lit(s string) bool {
	if c.err != nil {
		return false
	}
	if !c.reading {
		c.b = append(c.b, s...)
		return true
	}
	if len(c.b)-c.at < len(s) || string(c.b[c.at:c.at+len(s)]) != s {
		c.fail("byte %d: want %s", c.at+1, s)
		return false
	}
	c.at += len(s)
	return true
}

// name begins a field.
func (c *codec) name(s string) bool {
	sep := ","
	if c.n == 0 {
		sep = "{"
	}
	c.n++
	return c.lit(sep) && c.lit(`"`) && c.lit(s) && c.lit(`":`)
}

// end ends the object.
func (c *codec) end() { c.lit("}") }

type integer interface {
	~int | ~int8 | ~int64 | ~uint32 | ~uint64
}

// number is a field that holds an integer.
func number[T integer](c *codec, name string, v *T) {
	if c.name(name) {
		digits(c, v)
	}
}

// digits is an integer without plus sign, leading zeros or minus zero, in the range of its type.
func digits[T integer](c *codec, v *T) {
	signed := ^T(0) < 0
	if !c.reading {
		if signed {
			c.b = strconv.AppendInt(c.b, int64(*v), 10)
		} else {
			c.b = strconv.AppendUint(c.b, uint64(*v), 10)
		}
		return
	}
	rest := c.b[c.at:]
	n := 0
	for n < len(rest) && (rest[n] == '-' && n == 0 || '0' <= rest[n] && rest[n] <= '9') {
		n++
	}
	s := string(rest[:n])
	var ok bool
	if signed {
		i, err := strconv.ParseInt(s, 10, 64)
		*v = T(i)
		ok = err == nil && int64(*v) == i
	} else {
		u, err := strconv.ParseUint(s, 10, 64)
		*v = T(u)
		ok = err == nil && uint64(*v) == u
	}
	shortest := s == "0" || !strings.HasPrefix(strings.TrimPrefix(s, "-"), "0")
	if !ok || !shortest {
		c.fail("byte %d: want an integer in its shortest form and in range", c.at+1)
		return
	}
	c.at += n
}

// numbers is a field that holds a list of at most most integers.
func numbers[T integer](c *codec, name string, v *[]T, most int) {
	if !c.name(name) || !c.lit("[") {
		return
	}
	if c.reading {
		*v = nil
		for c.err == nil && c.at < len(c.b) && c.b[c.at] != ']' {
			if len(*v) == most {
				c.fail("more than %d %s", most, name)
				return
			}
			if len(*v) > 0 {
				c.lit(",")
			}
			var x T
			digits(c, &x)
			*v = append(*v, x)
		}
	} else {
		if len(*v) > most {
			c.fail("%d %s, at most %d", len(*v), name, most)
			return
		}
		for i := range *v {
			if i > 0 {
				c.lit(",")
			}
			digits(c, &(*v)[i])
		}
	}
	c.lit("]")
}

// text is a field that holds a text.
func (c *codec) text(name string, v *string) {
	if c.name(name) {
		c.quoted(name, v)
	}
}

// texts is a field that holds a list of at most most texts.
func texts(c *codec, name string, v *[]string, most int) {
	if !c.name(name) || !c.lit("[") {
		return
	}
	if c.reading {
		*v = nil
	}
	for i := 0; c.err == nil; i++ {
		if c.reading {
			if c.at >= len(c.b) || c.b[c.at] == ']' {
				break
			}
			*v = append(*v, "")
		} else if i == len(*v) {
			break
		}
		if i == most {
			c.fail("more than %d %s", most, name)
			return
		}
		if i > 0 {
			c.lit(",")
		}
		c.quoted(name, &(*v)[i])
	}
	c.lit("]")
}

// quoted is a text in quotes.
func (c *codec) quoted(name string, v *string) {
	if !c.lit(`"`) {
		return
	}
	if c.reading {
		n := bytes.IndexByte(c.b[c.at:min(len(c.b), c.at+maxText+1)], '"')
		if n < 0 {
			c.fail("byte %d: want a text of at most %d bytes", c.at+1, maxText)
			return
		}
		*v = string(c.b[c.at : c.at+n])
	}
	if !plain(*v) {
		c.fail("%s is %q, want at most %d bytes of UTF-8 without quotes, backslashes and control characters", name, *v, maxText)
		return
	}
	c.lit(*v)
	c.lit(`"`)
}

// optional is a text that is absent if it is empty, as in records of earlier programs.
func (c *codec) optional(name string, v *string) {
	if c.reading {
		if c.err != nil || !bytes.HasPrefix(c.b[c.at:], []byte(`,"`+name+`":`)) {
			return
		}
		if c.text(name, v); *v == "" {
			c.fail("%s is empty, and then it is left out", name)
		}
	} else if *v != "" {
		c.text(name, v)
	}
}

// plain reports whether s is a text that JSON need not escape.
func plain(s string) bool {
	return len(s) <= maxText && utf8.ValidString(s) &&
		!strings.ContainsFunc(s, func(r rune) bool { return r == '"' || r == '\\' || unicode.IsControl(r) })
}

// word is a text of a named type.
func word[T ~string](c *codec, name string, v *T) {
	s := string(*v)
	c.text(name, &s)
	*v = T(s)
}

// named is a field that holds the name of a value.
func named[T comparable](c *codec, field string, v *T, names map[T]string) {
	s, known := names[*v]
	if !c.reading && !known {
		c.fail("%s %v has no name", field, *v)
		return
	}
	c.text(field, &s)
	if c.reading {
		for value, name := range names { // names differ, so the order does not matter
			if name == s {
				*v = value
				return
			}
		}
		c.fail("%s %q is unknown to this build", field, s)
	}
}

// hex is a field that holds len(v) bytes.
func (c *codec) hex(name string, v []byte) {
	if c.name(name) && c.lit(`"`) {
		c.digest(v)
		c.lit(`"`)
	}
}

// digest is len(v) bytes in lower-case hex.
func (c *codec) digest(v []byte) {
	if !c.reading {
		c.b = hex.AppendEncode(c.b, v)
		return
	}
	n := 2 * len(v)
	s := c.b[c.at:]
	if len(s) < n || len(bytes.Trim(s[:n], "0123456789abcdef")) > 0 {
		c.fail("byte %d: want %d digits of lower-case hex", c.at+1, n)
		return
	}
	_, _ = hex.Decode(v, s[:n]) // they are hex digits
	c.at += n
}
