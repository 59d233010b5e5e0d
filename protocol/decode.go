package protocol

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
)

// Decode reads the one message that a frame holds. It accepts only the canonical form, which
// is what [Encode] writes, and keeps no part of it. The signature is not verified here.
func Decode(frame vouch.Value[[]byte]) (Message, error) {
	b := frame.Get()
	if len(b) > MaxFrame {
		return Message{}, frameError("frame", "%d bytes, at most %d", len(b), MaxFrame)
	}
	m := new(message)
	if err := m.decode(b); err != nil {
		return Message{}, err
	}
	m.frame = string(b)
	return Message{m}, nil
}

func (m *message) decode(b []byte) error {
	r := fieldReader{where: "message", b: b}
	for r.next() {
		switch r.tag {
		case 1<<3 | list:
			if err := m.decodeContent(r.part); err != nil {
				return err
			}
		case 2<<3 | number:
			m.round = Round(r.number)
		case 4<<3 | list:
			if len(r.part) != sigLen {
				return frameError("signature", "%d bytes, want %d", len(r.part), sigLen)
			}
			m.sig = string(r.part)
		default:
			return r.unknown()
		}
	}
	if r.err == nil && m.kind == 0 {
		return frameError("message", "no content")
	}
	return r.err
}

func (m *message) decodeContent(b []byte) error {
	r := fieldReader{where: "content", b: b, repeated: 1<<3 | 1<<4 | 1<<5}
	labels := 0
	for r.next() {
		var err error
		switch r.tag {
		case 1<<3 | number:
			m.kind = Kind(r.upTo(uint64(maxKind)))
		case 2<<3 | list:
			labels++
			err = m.label.decode(r.part)
		case 3<<3 | list:
			if len(m.refs) == maxRefs {
				return frameError("refs", "more than %d", maxRefs)
			}
			m.refs = append(m.refs, Label{})
			err = m.refs[len(m.refs)-1].decode(r.part)
		case 4<<3 | list:
			if len(m.body) == MaxBody {
				return frameError("body", "more than %d releases", MaxBody)
			}
			var release dp.Release
			release, err = decodeRelease(r.part)
			m.body = append(m.body, release)
		case 5<<3 | list:
			if len(m.sealed) == MaxBody {
				return frameError("sealed", "more than %d", MaxBody)
			}
			var s dp.Sealed
			if s, err = dp.ReceivedSealed(vouch.For(r.part)); err != nil {
				err = fmt.Errorf("%w: %w", ErrFrame, err)
			}
			m.sealed = append(m.sealed, s)
		default:
			return r.unknown()
		}
		if err != nil {
			return err
		}
	}
	if r.err == nil && (m.kind == 0 || labels == 0) {
		return frameError("content", "want a kind and a label")
	}
	return r.err
}

func (l *Label) decode(b []byte) error {
	r := fieldReader{where: "label", b: b}
	for r.next() {
		switch r.tag {
		case 1<<3 | number:
			l.Origin = Peer(r.upTo(math.MaxUint32))
		case 2<<3 | number:
			l.Incarnation = uint32(r.upTo(math.MaxUint32))
		case 3<<3 | number:
			l.Stream = dp.StreamID(r.upTo(math.MaxUint32))
		case 4<<3 | number:
			l.Seq = r.number
		default:
			return r.unknown()
		}
	}
	return r.err
}

func decodeRelease(b []byte) (dp.Release, error) {
	var f dp.Fields
	var count [usualLen]uint64 // on the stack: the Release copies them
	var value [usualLen]int64
	r := fieldReader{where: "release", b: b}
	for r.next() {
		var err error
		switch r.tag {
		case 1<<3 | number:
			f.Stream = dp.StreamID(r.upTo(math.MaxUint32))
		case 2<<3 | number:
			f.Span.From = r.number
		case 3<<3 | number:
			f.Span.To = r.number
		case 4<<3 | list:
			f.Count, err = packed(count[:], "counts", r.part, false)
		case 5<<3 | list:
			f.Value, err = packed(value[:], "values", r.part, true)
		case 6<<3 | number:
			f.Exponent = int8(protowire.DecodeZigZag(r.upTo(math.MaxUint8)))
		case 7<<3 | number:
			f.Noise.Scale = r.number
		case 8<<3 | number:
			f.Noise.VarianceUnits = uint32(r.upTo(math.MaxUint32))
		case 9<<3 | number:
			f.Noise.Law = dp.Law(r.upTo(math.MaxUint8))
		default:
			return dp.Release{}, r.unknown()
		}
		if err != nil {
			return dp.Release{}, err
		}
	}
	if r.err != nil {
		return dp.Release{}, r.err
	}
	release, err := dp.Received(vouch.For(f))
	if err != nil {
		return release, fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return release, nil
}
