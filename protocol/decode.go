package protocol

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
)

// Decode reads the one message that b holds. It takes nothing but the canonical
// form and keeps no part of b. The signature is not verified here.
func Decode(b []byte) (Message, error) {
	var m Message
	if len(b) > MaxFrame {
		return m, frameError("frame", "%d bytes, at most %d", len(b), MaxFrame)
	}
	err := fields("message", b, func(num protowire.Number, v uint64, part []byte) error {
		switch num {
		case 1:
			return m.decodeContent(part)
		case 2:
			m.round = Round(v)
		case 3:
			m.hops = uint8(v)
		case 4:
			if len(part) != sigLen {
				return frameError("signature", "%d bytes, want %d", len(part), sigLen)
			}
			m.sig = bytes.Clone(part)
		default:
			return frameError("message", "unknown field %d", num)
		}
		return nil
	})
	if err != nil {
		return Message{}, err
	}
	if m.kind == 0 || m.kind > maxKind {
		return Message{}, frameError("kind", "%d, want 1 to %d", m.kind, maxKind)
	}
	if !bytes.Equal(Encode(make([]byte, 0, len(b)), m), b) {
		return Message{}, frameError("frame", "not in canonical form")
	}
	return m, nil
}

func (m *Message) decodeContent(b []byte) error {
	return fields("content", b, func(num protowire.Number, v uint64, part []byte) (err error) {
		switch num {
		case 1:
			m.kind = Kind(v)
		case 2:
			m.label, err = decodeLabel(part)
		case 3:
			var l Label
			if len(m.refs) == maxRefs {
				return frameError("refs", "more than %d", maxRefs)
			}
			l, err = decodeLabel(part)
			m.refs = append(m.refs, l)
		case 4:
			var r dp.Release
			if len(m.body) == maxBody {
				return frameError("body", "more than %d releases", maxBody)
			}
			r, err = decodeRelease(part)
			m.body = append(m.body, r)
		case 5:
			var s dp.Sealed
			if len(m.sealed) == maxBody {
				return frameError("sealed", "more than %d", maxBody)
			}
			if s, err = dp.ReceivedSealed(bytes.Clone(part)); err != nil {
				return fmt.Errorf("%w: %w", ErrFrame, err)
			}
			m.sealed = append(m.sealed, s)
		default:
			return frameError("content", "unknown field %d", num)
		}
		return err
	})
}

func decodeLabel(b []byte) (l Label, err error) {
	err = fields("label", b, func(num protowire.Number, v uint64, _ []byte) error {
		switch num {
		case 1:
			l.Origin = Peer(v)
		case 2:
			l.Incarnation = uint32(v)
		case 3:
			l.Stream = dp.StreamID(v)
		case 4:
			l.Seq = v
		default:
			return frameError("label", "unknown field %d", num)
		}
		return nil
	})
	return l, err
}

func decodeRelease(b []byte) (dp.Release, error) {
	var f dp.Fields
	err := fields("release", b, func(num protowire.Number, v uint64, part []byte) (err error) {
		switch num {
		case 1:
			f.Stream = dp.StreamID(v)
		case 2:
			f.Span.From = v
		case 3:
			f.Span.To = v
		case 4:
			if len(f.Count) > 0 {
				return frameError("counts", "given twice") // before they are many
			}
			f.Count, err = packed("counts", part, func(v uint64) uint64 { return v })
		case 5:
			if len(f.Value) > 0 {
				return frameError("values", "given twice")
			}
			f.Value, err = packed("values", part, protowire.DecodeZigZag)
		case 6:
			f.Exponent = int8(protowire.DecodeZigZag(v))
		case 7:
			f.Noise.Scale = v
		case 8:
			f.Noise.Terms = uint32(v)
		case 9:
			f.Noise.Law = dp.Law(v)
		default:
			return frameError("release", "unknown field %d", num)
		}
		return err
	})
	if err != nil {
		return dp.Release{}, err
	}
	r, err := dp.Received(f)
	if err != nil {
		return r, fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return r, nil
}

// fields calls f for every field of b: with v for a varint, with part for bytes.
// A field of the wrong type reaches f with the other one empty; the canonical
// check then refuses the frame.
func fields(where string, b []byte, f func(num protowire.Number, v uint64, part []byte) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return frameError(where, "%v", protowire.ParseError(n))
		}
		b = b[n:]
		var (
			v    uint64
			part []byte
		)
		switch typ {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			part, n = protowire.ConsumeBytes(b)
		default:
			return frameError(where, "field %d of type %d", num, typ)
		}
		if n < 0 {
			return frameError(where, "field %d: %v", num, protowire.ParseError(n))
		}
		b = b[n:]
		if err := f(num, v, part); err != nil {
			return err
		}
	}
	return nil
}

// packed reads a list of varints. The list is allocated once, since a frame can be
// all list.
func packed[T any](where string, b []byte, of func(v uint64) T) ([]T, error) {
	n := 0
	for _, x := range b {
		if x < 0x80 { // the last byte of a number
			n++
		}
	}
	if n > dp.MaxLen {
		return nil, frameError(where, "%d, at most %d", n, dp.MaxLen)
	}
	list := make([]T, 0, n)
	for len(b) > 0 {
		v, size := protowire.ConsumeVarint(b)
		if size < 0 {
			return nil, frameError(where, "entry %d: %v", len(list), protowire.ParseError(size))
		}
		list = append(list, of(v))
		b = b[size:]
	}
	return list, nil
}
