package protocol

import (
	"encoding/binary"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
)

// The types of a field, in the lowest three bits of its tag.
const (
	number = byte(protowire.VarintType)
	list   = byte(protowire.BytesType)
)

// A fieldReader reads the fields of one part of a frame. It accepts the canonical form
// only: tags ascend, numbers are in their shortest form and not 0. The caller compares the
// tag, with its type, with those that it knows; so a field of the wrong type is unknown.
type fieldReader struct {
	where    string // for errors
	b        []byte // what is left
	repeated uint16 // bit n: field n can occur more than once

	tag    byte   // of the field that was read last; 0 before
	number uint64 // its value, if it is a number
	part   []byte // its content, if it is a list
	err    error  // the first one
}

// next reads a field. It returns false at the end of the part and after an error.
func (r *fieldReader) next() bool {
	if len(r.b) == 0 || r.err != nil {
		return false
	}
	tag := r.b[0]
	if tag < r.tag || tag == r.tag && r.repeated>>(tag>>3)&1 == 0 {
		return r.fail("field %d out of order", tag>>3)
	}
	v, n := shortest(r.b[1:])
	if n == 0 {
		return r.fail("field %d: no number in its shortest form", tag>>3)
	}
	r.tag, r.b = tag, r.b[1+n:]
	switch tag & 7 {
	case number:
		if v == 0 {
			return r.fail("field %d is 0, and then left out", tag>>3)
		}
		r.number = v
	case list:
		if v > uint64(len(r.b)) {
			return r.fail("field %d of %d bytes, %d left", tag>>3, v, len(r.b))
		}
		r.part, r.b = r.b[:v], r.b[v:]
	default:
		return r.fail("field %d of type %d", tag>>3, tag&7)
	}
	return true
}

// upTo returns the number that was read, which must be at most greatest.
func (r *fieldReader) upTo(greatest uint64) uint64 {
	if r.number > greatest {
		r.fail("field %d is %d, at most %d", r.tag>>3, r.number, greatest)
		return 0
	}
	return r.number
}

func (r *fieldReader) fail(format string, args ...any) bool {
	r.err = frameError(r.where, format, args...)
	return false
}

// unknown returns the error of a field that the caller does not know.
func (r *fieldReader) unknown() error {
	return frameError(r.where, "unknown field %d of type %d", r.tag>>3, r.tag&7)
}

// shortest reads a varint at the beginning of b, and returns it with its length: 0 if
// there is none of up to 64 bits in its shortest form.
func shortest(b []byte) (v uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	v, n = protowire.ConsumeVarint(b)
	if n < 0 || b[n-1] == 0 {
		return 0, 0
	}
	return v, n
}

// packed reads a list of numbers, which is not empty, into room if it has the capacity. If
// not, the list is allocated once, since a frame can be all list.
func packed[T uint64 | int64](room []T, where string, b []byte, zigzag bool) ([]T, error) {
	n := lastBytes(b)
	if n == 0 || n > dp.MaxLen {
		return nil, frameError(where, "%d, want 1 to %d", n, dp.MaxLen)
	}
	if n > cap(room) {
		room = make([]T, n)
	}
	numbers := room[:n]
	at := 0
	for i := range numbers { // with a last byte for each, so that b[at] is there
		x := b[at]
		at++
		v := uint64(x)
		// The first three bytes have branches of their own, which the processor predicts
		// better than a loop's. Each byte takes off the top bit of the one before.
		if x >= 0x80 {
			x = b[at]
			at++
			v += (uint64(x) - 1) << 7
			if x >= 0x80 {
				x = b[at]
				at++
				v += (uint64(x) - 1) << 14
				for shift := 21; x >= 0x80; shift += 7 {
					x = b[at]
					at++
					v += (uint64(x) - 1) << (shift & 63)
					if shift >= 63 && x > 1 {
						x = 0
					}
				}
			}
			if x == 0 {
				return nil, frameError(where, "entry %d: no number in its shortest form", i)
			}
		}
		if zigzag {
			v = uint64(protowire.DecodeZigZag(v))
		}
		numbers[i] = T(v)
	}
	if at < len(b) {
		return nil, frameError(where, "%d bytes behind the last entry", len(b)-at)
	}
	return numbers, nil
}

// lastBytes returns how many numbers end in b: their last bytes are below 0x80.
func lastBytes(b []byte) int {
	n := len(b)
	for ; len(b) >= 8; b = b[8:] {
		n -= bits.OnesCount64(binary.LittleEndian.Uint64(b) & 0x8080808080808080)
	}
	for _, x := range b {
		n -= int(x >> 7)
	}
	return n
}
