package protocol

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
)

// The wire format is the protobuf message of docs/wire.proto in its one canonical
// form: fields in ascending order, numbers in their shortest form, zeros left
// out, lists packed. Decode refuses any other form of the same message, since the choice
// between two forms could carry a hidden bit.

// MaxFrame bounds an encoded message in bytes.
const MaxFrame = 64 << 10

// ErrFrame is wrapped by the errors of [Decode].
var ErrFrame = errors.New("protocol: malformed frame")

// MaxBody is the greatest number of releases in a message.
const MaxBody = 1024

const (
	maxRefs = 4096
	sigLen  = 64

	usualLen = 256 // of a release; longer ones are read a little slower
)

// Frame returns the canonical form of m. The Message keeps it, so that it is encoded once
// however often it is stored and sent; a decoded Message has it already. It is a string,
// since bytes could be written to. The first call for any other Message must not happen at
// the same time as another use of that Message.
func (m Message) Frame() string {
	if m.frame == "" {
		var room [1 << 10]byte
		m.frame = string(Encode(room[:0], m))
	}
	return m.frame
}

// Encode appends the canonical form of m to b. Unlike [Message.Frame] it keeps nothing.
func Encode(b []byte, m Message) []byte {
	if m.frame != "" {
		return append(b, m.frame...)
	}
	b, at := begin(b, 1)
	b = end(appendContent(b, m.message), at)
	b = appendUint(b, 2, uint64(m.round))
	if len(m.sig) > 0 {
		b = appendBytes(b, 4, m.sig)
	}
	return b
}

// appendContent appends what a signature covers.
func appendContent(b []byte, m *message) []byte {
	b = appendUint(b, 1, uint64(m.kind))
	b = appendLabel(b, 2, &m.label)
	for i := range m.refs {
		b = appendLabel(b, 3, &m.refs[i])
	}
	for i := range m.body {
		var at int
		b, at = begin(b, 4)
		b = end(appendRelease(b, &m.body[i]), at)
	}
	for _, s := range m.sealed {
		b = appendBytes(b, 5, s.Bytes())
	}
	return b
}

func appendLabel(b []byte, num protowire.Number, l *Label) []byte {
	b, at := begin(b, num)
	b = appendUint(b, 1, uint64(l.Origin))
	b = appendUint(b, 2, uint64(l.Incarnation))
	b = appendUint(b, 3, uint64(l.Stream))
	return end(appendUint(b, 4, l.Seq), at)
}

func appendRelease(b []byte, r *dp.Release) []byte {
	span, noise := r.Span(), r.Noise()
	b = appendUint(b, 1, uint64(r.Stream()))
	b = appendUint(b, 2, span.From)
	b = appendUint(b, 3, span.To)
	var at int
	if r.Counts() > 0 {
		b, at = begin(b, 4)
		for i := range r.Counts() {
			b = appendNumber(b, r.Count(i))
		}
		b = end(b, at)
	}
	if r.Len() > 0 {
		b, at = begin(b, 5)
		for i := range r.Len() {
			b = appendNumber(b, protowire.EncodeZigZag(r.Value(i)))
		}
		b = end(b, at)
	}
	b = appendUint(b, 6, protowire.EncodeZigZag(int64(r.Exponent())))
	b = appendUint(b, 7, noise.Scale)
	b = appendUint(b, 8, uint64(noise.VarianceUnits))
	return appendUint(b, 9, uint64(noise.Law))
}

// begin appends the tag of a field whose length is not known yet, and room for the
// length. Its content begins at the index that it returns.
func begin(b []byte, num protowire.Number) (_ []byte, at int) {
	b = append(b, tag(num, protowire.BytesType), 0)
	return b, len(b)
}

// end puts the length of b[at:] in the room that begin left. Moving the content when the
// length needs more than a byte takes less time than summing it up beforehand.
func end(b []byte, at int) []byte {
	n := len(b) - at
	if n < 0x80 {
		b[at-1] = byte(n)
		return b
	}
	more := protowire.SizeVarint(uint64(n)) - 1
	b = append(b, make([]byte, more)...)
	copy(b[at+more:], b[at:at+n])
	appendNumber(b[:at-1], uint64(n))
	return b
}

// tag returns the tag of a field, one byte since no field number is over 15.
func tag(num protowire.Number, t protowire.Type) byte { return byte(num)<<3 | byte(t) }

// appendNumber appends a varint.
func appendNumber(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendUint appends a field unless it is 0.
func appendUint(b []byte, num protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return appendNumber(append(b, tag(num, protowire.VarintType)), v)
}

func appendBytes[T []byte | string](b []byte, num protowire.Number, part T) []byte {
	b = appendNumber(append(b, tag(num, protowire.BytesType)), uint64(len(part)))
	return append(b, part...)
}

// frameError names the field at which a frame went wrong.
func frameError(where, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrFrame, where, fmt.Sprintf(format, args...))
}
