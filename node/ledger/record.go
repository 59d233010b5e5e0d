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
	if err := digits(h[:]).UnmarshalText(b); err != nil {
		return fmt.Errorf("%w: a hash %w", ErrForm, err)
	}
	return nil
}

// Kind names what a record is about.
type Kind string

// The kinds.
const (
	KindGenesis Kind = "genesis"
	KindOpen    Kind = "open"
	KindRelease Kind = "release"
	KindGap     Kind = "gap"
	kindEnd     Kind = "end"     // of an export; no record
	kindOpening Kind = "opening" // of the release before it, in an export for auditors; no record
)

// A Body is the content of a record: a [*Genesis], an [*Open], a [*Release] or a [*Gap].
type Body interface {
	Kind() Kind
	String() string // for people, in one line
	fields() []field
}

// A Record is one line of a ledger.
type Record struct {
	Seq  uint64 // its place, from 0
	Prev Hash   // of the line before; zero for the first
	Body Body
}

// ParseLine reads a line. It accepts only the canonical form, in which a record can be written in
// one way; package check finds all other errors.
func ParseLine(line []byte) (Record, error) {
	if len(line) > MaxLine {
		return Record{}, fmt.Errorf("%w: %d bytes, at most %d", ErrForm, len(line), MaxLine)
	}
	var r Record
	err := read(line, func(k Kind) []field {
		if r.Body = newBody(k); r.Body == nil {
			return nil
		}
		return r.fields()
	})
	if err != nil {
		return Record{}, err
	}
	return r, nil
}

// Append appends the line of r to b, without a newline.
func (r *Record) Append(b []byte) ([]byte, error) { return write(b, r.fields()) }

// fields lists the fields of a line in their order.
func (r *Record) fields() []field {
	return append([]field{{"seq", &r.Seq}, {"prev", new(digits(r.Prev[:]))}, {"kind", new(r.Body.Kind())}}, r.Body.fields()...)
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
	case kindEnd, kindOpening:
	}
	return nil
}
