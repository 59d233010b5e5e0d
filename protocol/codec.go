package protocol

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
)

// The wire format is the protobuf message of docs/wire.proto in its one canonical
// form: fields in ascending order, numbers in their shortest form, zeros left
// out, lists packed. Decode refuses any other form of the same message, since
// what can be said in two ways could carry a bit unseen.

// MaxFrame bounds an encoded message in bytes.
const MaxFrame = 64 << 10

// ErrFrame is wrapped by the errors of [Decode].
var ErrFrame = errors.New("protocol: malformed frame")

const (
	maxRefs = 4096
	maxBody = 256
	sigLen  = 64
)

// Encode appends m to b.
func Encode(b []byte, m Message) []byte {
	b = protowire.AppendTag(b, 1, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(contentSize(&m)))
	b = appendContent(b, &m)
	b = appendUint(b, 2, uint64(m.round))
	b = appendUint(b, 3, uint64(m.hops))
	if len(m.sig) > 0 {
		b = protowire.AppendTag(b, 4, protowire.BytesType)
		b = protowire.AppendBytes(b, m.sig)
	}
	return b
}

// Size returns the length of m's encoding in bytes.
func Size(m *Message) int {
	n := 1 + protowire.SizeBytes(contentSize(m)) + uintSize(uint64(m.round)) + uintSize(uint64(m.hops))
	if len(m.sig) > 0 {
		n += 1 + protowire.SizeBytes(len(m.sig))
	}
	return n
}

// appendContent appends what a signature covers.
func appendContent(b []byte, m *Message) []byte {
	b = appendUint(b, 1, uint64(m.kind))
	b = appendLabel(b, 2, &m.label)
	for i := range m.refs {
		b = appendLabel(b, 3, &m.refs[i])
	}
	for i := range m.body {
		b = protowire.AppendTag(b, 4, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(releaseSize(&m.body[i])))
		b = appendRelease(b, &m.body[i])
	}
	for _, s := range m.sealed {
		b = protowire.AppendTag(b, 5, protowire.BytesType)
		b = protowire.AppendBytes(b, s.Bytes())
	}
	return b
}

func contentSize(m *Message) int {
	n := uintSize(uint64(m.kind)) + 1 + protowire.SizeBytes(labelSize(&m.label))
	for i := range m.refs {
		n += 1 + protowire.SizeBytes(labelSize(&m.refs[i]))
	}
	for i := range m.body {
		n += 1 + protowire.SizeBytes(releaseSize(&m.body[i]))
	}
	for _, s := range m.sealed {
		n += 1 + protowire.SizeBytes(len(s.Bytes()))
	}
	return n
}

func appendLabel(b []byte, num protowire.Number, l *Label) []byte {
	b = protowire.AppendTag(b, num, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(labelSize(l)))
	b = appendUint(b, 1, uint64(l.Origin))
	b = appendUint(b, 2, uint64(l.Incarnation))
	b = appendUint(b, 3, uint64(l.Stream))
	return appendUint(b, 4, l.Seq)
}

func labelSize(l *Label) int {
	return uintSize(uint64(l.Origin)) + uintSize(uint64(l.Incarnation)) + uintSize(uint64(l.Stream)) + uintSize(l.Seq)
}

func appendRelease(b []byte, r *dp.Release) []byte {
	span := r.Span()
	noise := r.Noise()
	b = appendUint(b, 1, uint64(r.Stream()))
	b = appendUint(b, 2, span.From)
	b = appendUint(b, 3, span.To)
	if n := r.Counts(); n > 0 {
		b = protowire.AppendTag(b, 4, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(countsSize(r)))
		for i := range n {
			b = protowire.AppendVarint(b, r.Count(i))
		}
	}
	if n := r.Len(); n > 0 {
		b = protowire.AppendTag(b, 5, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(valuesSize(r)))
		for i := range n {
			b = protowire.AppendVarint(b, protowire.EncodeZigZag(r.Value(i)))
		}
	}
	b = appendUint(b, 6, protowire.EncodeZigZag(int64(r.Exponent())))
	b = appendUint(b, 7, noise.Scale)
	b = appendUint(b, 8, uint64(noise.Terms))
	return appendUint(b, 9, uint64(noise.Law))
}

func releaseSize(r *dp.Release) int {
	span := r.Span()
	noise := r.Noise()
	n := uintSize(uint64(r.Stream())) + uintSize(span.From) + uintSize(span.To) +
		uintSize(protowire.EncodeZigZag(int64(r.Exponent()))) + uintSize(noise.Scale) + uintSize(uint64(noise.Terms)) +
		uintSize(uint64(noise.Law))
	if r.Counts() > 0 {
		n += 1 + protowire.SizeBytes(countsSize(r))
	}
	if r.Len() > 0 {
		n += 1 + protowire.SizeBytes(valuesSize(r))
	}
	return n
}

func countsSize(r *dp.Release) (n int) {
	for i := range r.Counts() {
		n += protowire.SizeVarint(r.Count(i))
	}
	return n
}

func valuesSize(r *dp.Release) (n int) {
	for i := range r.Len() {
		n += protowire.SizeVarint(protowire.EncodeZigZag(r.Value(i)))
	}
	return n
}

// appendUint appends a field unless it is 0.
func appendUint(b []byte, num protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v)
}

func uintSize(v uint64) int {
	if v == 0 {
		return 0
	}
	return 1 + protowire.SizeVarint(v)
}

// frameError names the field at which a frame went wrong.
func frameError(where, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrFrame, where, fmt.Sprintf(format, args...))
}
