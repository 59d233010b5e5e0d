package protocol

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/vouch"
)

// The codec checks while it reads that a frame is in canonical form. Here is the
// definition that this has to agree with: a lenient reader takes any protobuf encoding
// of a message, and the frame is canonical if encoding the result gives the same bytes.

// lenient reads a message in any form. Whatever it does not recognise it leaves out.
func lenient(b []byte) (m Message, err error) {
	m = NoMessage()
	if len(b) > MaxFrame {
		return m, ErrFrame
	}
	err = eachField(b, func(num protowire.Number, v uint64, part []byte) error {
		switch num {
		case 1:
			return eachField(part, m.lenientContent)
		case 2:
			m.round = Round(v)
		case 4:
			if len(part) != sigLen {
				return ErrFrame
			}
			m.sig = string(part)
		default:
		}
		return nil
	})
	if m.kind == 0 || m.kind > maxKind {
		err = ErrFrame
	}
	return m, err
}

func (m *message) lenientContent(num protowire.Number, v uint64, part []byte) error {
	switch num {
	case 1:
		m.kind = Kind(v)
	case 2:
		m.label = Label{}
		return eachField(part, m.label.lenient)
	case 3:
		var l Label
		err := eachField(part, l.lenient)
		m.refs = append(m.refs, l)
		return err
	case 4:
		r, err := lenientRelease(part)
		m.body = append(m.body, r)
		return err
	case 5:
		s, err := dp.ReceivedSealed(vouch.For(part))
		m.sealed = append(m.sealed, s)
		return err
	default:
	}
	if len(m.refs) > maxRefs || len(m.body) > MaxBody || len(m.sealed) > MaxBody {
		return ErrFrame
	}
	return nil
}

func (l *Label) lenient(num protowire.Number, v uint64, _ []byte) error {
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
	}
	return nil
}

func lenientRelease(b []byte) (dp.Release, error) {
	var f dp.Fields
	err := eachField(b, func(num protowire.Number, v uint64, part []byte) (err error) {
		switch num {
		case 1:
			f.Stream = dp.StreamID(v)
		case 2:
			f.Span.From = v
		case 3:
			f.Span.To = v
		case 4:
			f.Count, err = eachNumber(part, func(v uint64) uint64 { return v })
		case 5:
			f.Value, err = eachNumber(part, protowire.DecodeZigZag)
		case 6:
			f.Exponent = int8(protowire.DecodeZigZag(v))
		case 7:
			f.Noise.Scale = v
		case 8:
			f.Noise.VarianceUnits = uint32(v)
		case 9:
			f.Noise.Law = dp.Law(v)
		default:
		}
		return err
	})
	if err != nil {
		return dp.Release{}, err
	}
	return dp.Received(vouch.For(f))
}

func eachField(b []byte, f func(num protowire.Number, v uint64, part []byte) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return ErrFrame
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
			return ErrFrame
		}
		if n < 0 {
			return ErrFrame
		}
		b = b[n:]
		if err := f(num, v, part); err != nil {
			return err
		}
	}
	return nil
}

func eachNumber[T any](b []byte, of func(v uint64) T) (list []T, _ error) {
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, ErrFrame
		}
		list = append(list, of(v))
		b = b[n:]
	}
	return list, nil
}

// sameVerdict fails unless Decode and ParseRelease accept b exactly if it is canonical,
// with the same message. It reports whether they accept it.
func sameVerdict(t interface{ Fatalf(string, ...any) }, b []byte) (accepted bool) {
	want, wrong := lenient(b)
	canonical := wrong == nil && bytes.Equal(Encode(nil, want), b) && len(want.refs) <= maxRefs && len(want.body) <= MaxBody && len(want.sealed) <= MaxBody
	got, err := Decode(vouch.For(b))
	switch {
	case (err == nil) != canonical:
		t.Fatalf("%x: Decode says %v, canonical is %t", b, err, canonical)
	case err != nil && !errors.Is(err, ErrFrame):
		t.Fatalf("%x: %v does not wrap ErrFrame", b, err)
	case err == nil && !equal(got, want):
		t.Fatalf("%x: read as %v and %v", b, got, want)
	}
	release, wrong := lenientRelease(b)
	canonical = wrong == nil && bytes.Equal(AppendRelease(nil, release), b)
	if r, refused := ParseRelease(vouch.For(b)); (refused == nil) != canonical || refused == nil && !r.Equal(release) {
		t.Fatalf("%x: ParseRelease says %v, canonical is %t", b, refused, canonical)
	}
	return err == nil
}

// TestCanonicalIsWhatEncodeWrites changes frames in the ways in which a second form of a
// message could come about, and in others.
func TestCanonicalIsWhatEncodeWrites(t *testing.T) {
	accepted, refused := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		b := Encode(nil, anyMessage().Draw(r, "message"))
		for range rapid.IntRange(0, 3).Draw(r, "changes") {
			b = mutated(r, b)
		}
		if sameVerdict(r, b) {
			accepted++
		} else {
			refused++
		}
	})
	t.Logf("%d frames accepted, %d refused", accepted, refused)
	if accepted == 0 || refused == 0 {
		t.Error("one verdict was never tried")
	}
}

// mutated returns b with one change: to any byte, or to a number or a field as such.
func mutated(r *rapid.T, b []byte) []byte {
	if len(b) == 0 {
		return []byte{rapid.Byte().Draw(r, "byte")}
	}
	b = slices.Clone(b)
	i := rapid.IntRange(0, len(b)-1).Draw(r, "at")
	switch rapid.IntRange(0, 6).Draw(r, "how") {
	case 0:
		b[i] ^= 1 << rapid.IntRange(0, 7).Draw(r, "bit")
	case 1:
		b = slices.Insert(b, i, rapid.SampledFrom([]byte{0, 1, 2, 8, 10, 0x7f, 0x80, 0xff}).Draw(r, "byte"))
	case 2:
		b = slices.Delete(b, i, i+1)
	case 3:
		b = b[:i]
	case 4, 5: // inside the content, so that lengths stay right
		return reframed(r, b)
	case 6: // a number that ends here goes on with zeros
		b[i] |= 0x80
		b = slices.Insert(b, i+1, 0)
	}
	return b
}

// reframed changes the fields of a frame, or of a part of it, and puts the right lengths
// before them: fields are repeated, left out, exchanged or set to 0.
func reframed(r *rapid.T, b []byte) []byte {
	var parts [][]byte
	for rest := b; len(rest) > 0; {
		_, _, n := protowire.ConsumeField(rest)
		if n < 0 {
			return b
		}
		parts, rest = append(parts, rest[:n]), rest[n:]
	}
	if len(parts) == 0 {
		return b
	}
	i := rapid.IntRange(0, len(parts)-1).Draw(r, "field")
	switch rapid.IntRange(0, 6).Draw(r, "what") {
	case 0:
		parts = slices.Insert(parts, i, parts[i])
	case 1:
		parts = slices.Delete(parts, i, i+1)
	case 2:
		j := rapid.IntRange(0, len(parts)-1).Draw(r, "other")
		parts[i], parts[j] = parts[j], parts[i]
	case 3:
		parts = slices.Insert(parts, i, []byte(wire{}.uint(protowire.Number(rapid.IntRange(1, 17).Draw(r, "number")), dptest.AnyUint().Draw(r, "value"))))
	case 4:
		parts = slices.Insert(parts, i, []byte(wire{}.bytes(protowire.Number(rapid.IntRange(1, 17).Draw(r, "number")))))
	case 5, 6:
		num, typ, n := protowire.ConsumeTag(parts[i])
		if typ != protowire.BytesType {
			break
		}
		part, _ := protowire.ConsumeBytes(parts[i][n:])
		parts[i] = wire{}.bytes(num, reframed(r, part)...)
	}
	return slices.Concat(parts...)
}

// FuzzCanonical holds Decode and ParseRelease against the definition on any bytes.
func FuzzCanonical(f *testing.F) {
	release := wire{}.uint(1, 1).uint(3, 4).bytes(4, 1, 2).bytes(5, 2, 3).uint(6, 39).uint(7, 1<<20).uint(8, 1)
	for _, w := range []wire{
		release,
		carrying(release),
		carrying(wire{}.bytes(4, 1, 0x82, 0)),
		append(content(wire{}.uint(1, 33).bytes(2, wire{}.uint(1, 1).uint(2, 1).uint(4, 7)...).bytes(3, wire{}.uint(4, 1)...).bytes(3)), wire{}.uint(2, 3).uint(3, 4).bytes(4, make([]byte, sigLen)...)...),
		content(wire{}.uint(1, 100).bytes(2).bytes(5, 1, 2, 3)),
		append(content(wire{}.uint(1, 16).bytes(2)), wire{}.uint(2, 0)...),
	} {
		f.Add([]byte(w))
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameVerdict(t, b) })
}
