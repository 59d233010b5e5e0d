package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Version is the format that this package reads and writes.
const Version = 2

// MaxLine bounds a line in bytes, without its newline.
const MaxLine = 1 << 20

// A Hash is the SHA-256 of a line, without its newline.
type Hash [sha256.Size]byte

// HashOf returns the hash of a line.
func HashOf(line []byte) Hash { return sha256.Sum256(line) }

// String returns h in lower-case hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns h in lower-case hex.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (h *Hash) UnmarshalText(b []byte) error {
	c := codec{reading: true, b: b}
	c.digest(h[:])
	return c.done()
}

// Kind names what a record is about.
type Kind string

// The kinds.
const (
	KindGenesis Kind = "genesis"
	KindOpen    Kind = "open"
	KindRelease Kind = "release"
	KindGap     Kind = "gap"
	kindEnd     Kind = "end" // of an export; no record
)

// A Body is the content of a record: a [*Genesis], an [*Open], a [*Release] or a [*Gap].
type Body interface {
	Kind() Kind
	String() string // for people, in one line
	fields(c *codec)
}

// A Record is one line of a ledger.
type Record struct {
	Seq  uint64 // its place, from 0
	Prev Hash   // of the line before; zero for the first
	Body Body
}

// ParseLine reads a line. It accepts only the canonical form, in which a record can be written in
// one way; [Verify] finds all other errors.
func ParseLine(line []byte) (Record, error) {
	var r Record
	if len(line) > MaxLine {
		return r, fmt.Errorf("%w: %d bytes, at most %d", ErrForm, len(line), MaxLine)
	}
	c := codec{reading: true, b: line}
	r.fields(&c)
	if err := c.done(); err != nil {
		return Record{}, err
	}
	return r, nil
}

// Append appends the line of r to b, without a newline.
func (r *Record) Append(b []byte) ([]byte, error) {
	c := codec{b: b}
	r.fields(&c)
	if err := c.done(); err != nil {
		return nil, err
	}
	return c.b, nil
}

// fields lists the fields of a line in their order, for reading and writing.
func (r *Record) fields(c *codec) {
	number(c, "seq", &r.Seq)
	c.hex("prev", r.Prev[:])
	var kind Kind
	if r.Body != nil {
		kind = r.Body.Kind()
	}
	word(c, "kind", &kind)
	if c.reading {
		r.Body = newBody(kind)
	}
	if r.Body == nil {
		c.fail("no kind of record is called %q", kind)
		return
	}
	r.Body.fields(c)
	c.end()
}

func newBody(k Kind) Body {
	switch k {
	case KindGenesis:
		return new(Genesis)
	case KindOpen:
		return new(Open)
	case KindRelease:
		return new(Release)
	case KindGap:
		return new(Gap)
	case kindEnd:
	}
	return nil
}
