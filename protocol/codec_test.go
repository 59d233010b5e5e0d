package protocol

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// TestEveryMessageSurvives: whatever a message holds comes back the same.
func TestEveryMessageSurvives(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyMessage().Draw(r, "message")
		overTheWire(t, m)
		b := Encode(nil, m)
		if got := Encode([]byte("before"), m); !bytes.Equal(got, append([]byte("before"), b...)) {
			r.Fatal("Encode does not append")
		}
	})
}

// TestFramesAreKept: a Message is encoded once, its frame is what Encode writes, and a
// decoded Message has it already.
func TestFramesAreKept(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyMessage().Draw(r, "message")
		if Encode(nil, m); m.frame != "" {
			r.Fatal("Encode keeps the frame")
		}
		want := string(Encode(nil, m))
		copied := m
		if got := m.Frame(); got != want || copied.frame != want {
			r.Fatalf("the frame is %x, want %x in every copy", got, want)
		}
		decoded, err := Decode(vouch.For([]byte(want)))
		if err != nil || decoded.frame != want {
			r.Fatalf("decoded from %x, it holds %x: %v", want, decoded.frame, err)
		}
		fresh := changed(decoded, func(*message) {})
		if got := string(Encode(nil, fresh)); got != want {
			r.Fatalf("decoded from %x, it is written as %x", want, got)
		}
	})
}

// TestDecodeKeepsNothingOfItsInput: transports reuse their buffers.
func TestDecodeKeepsNothingOfItsInput(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := Encode(nil, anyMessage().Draw(r, "message"))
		m := require.Value(Decode(vouch.For(b)))(r)
		want := bytes.Clone(b)
		for i := range b {
			b[i] ^= 0xff
		}
		if !bytes.Equal(Encode(nil, m), want) {
			r.Fatal("the message changed with the buffer that it was read from")
		}
	})
}

// The frames below are written by hand, field by field.

type wire []byte

func (w wire) uint(num protowire.Number, v uint64) wire {
	return protowire.AppendVarint(protowire.AppendTag(w, num, protowire.VarintType), v)
}

func (w wire) bytes(num protowire.Number, b ...byte) wire {
	return protowire.AppendBytes(protowire.AppendTag(w, num, protowire.BytesType), b)
}

// content returns the frame of a message whose content is c.
func content(c wire) wire { return wire{}.bytes(1, c...) }

// carrying returns the frame of a message that carries one release.
func carrying(r wire) wire { return content(wire{}.uint(1, 1).bytes(2).bytes(4, r...)) }

func TestOtherFormsAreRefused(t *testing.T) {
	label := wire{}.uint(1, 3).uint(4, 9)
	good := content(wire{}.uint(1, 16).bytes(2, label...))
	sig := make([]byte, sigLen)
	long := func(v byte) []byte { return []byte{v | 0x80, 0} } // v in two bytes
	if _, err := Decode(vouch.For([]byte(good))); err != nil {
		t.Fatalf("the frame that the others are made of: %v", err)
	}
	for name, w := range map[string]wire{
		"nothing":                          {},
		"no content":                       wire{}.uint(2, 7),
		"unknown field":                    append(slices.Clone(good), wire{}.uint(5, 1)...),
		"unknown field of content":         content(wire{}.uint(1, 16).bytes(2, label...).uint(6, 1)),
		"unknown field of a label":         content(wire{}.uint(1, 16).bytes(2, wire{}.uint(5, 1)...)),
		"unknown field of a release":       carrying(wire{}.uint(9, 1)),
		"content twice":                    append(slices.Clone(good), good...),
		"kind twice":                       content(wire{}.uint(1, 16).uint(1, 16).bytes(2, label...)),
		"label twice":                      content(wire{}.uint(1, 16).bytes(2, label...).bytes(2, label...)),
		"round twice":                      append(slices.Clone(good), wire{}.uint(2, 1).uint(2, 1)...),
		"values twice":                     carrying(wire{}.bytes(5, 2).bytes(5, 2)),
		"a long tag":                       append(append(slices.Clone(good), long(2<<3)...), 1),
		"a long number":                    append(append(slices.Clone(good), 2<<3), long(7)...),
		"a long length":                    append(append(wire{1<<3 | 2}, long(byte(len(good)-2))...), good[2:]...),
		"a long count":                     carrying(wire{}.bytes(4, 1, 0x82, 0)),
		"a zero that is there":             append(slices.Clone(good), wire{}.uint(2, 0)...),
		"a zero in a label":                content(wire{}.uint(1, 16).bytes(2, wire{}.uint(2, 0)...)),
		"a zero in a release":              carrying(wire{}.uint(1, 0)),
		"an empty list":                    carrying(wire{}.bytes(5)),
		"an empty signature":               append(slices.Clone(good), wire{}.bytes(4)...),
		"no label":                         content(wire{}.uint(1, 16)),
		"round before content":             append(wire{}.uint(2, 1), good...),
		"label before kind":                content(wire{}.bytes(2, label...).uint(1, 16)),
		"seq before origin":                content(wire{}.uint(1, 16).bytes(2, wire{}.uint(4, 9).uint(1, 3)...)),
		"body before refs":                 content(wire{}.uint(1, 16).bytes(2).bytes(4).bytes(3)),
		"a number where bytes belong":      content(wire{}.uint(1, 16).uint(2, 3)),
		"bytes where a number belongs":     content(wire{}.bytes(1, 16).bytes(2, label...)),
		"a number where values belong":     carrying(wire{}.uint(5, 2)),
		"a fixed number":                   append(slices.Clone(good), protowire.AppendFixed64(protowire.AppendTag(nil, 2, protowire.Fixed64Type), 1)...),
		"a group":                          append(slices.Clone(good), protowire.AppendTag(nil, 2, protowire.StartGroupType)...),
		"a byte too many":                  append(slices.Clone(good), 0),
		"a byte too few":                   good[:len(good)-1],
		"a length beyond the end":          {1<<3 | 2, 100, 1},
		"a number of eleven bytes":         append(append(slices.Clone(good), 2<<3), bytes.Repeat([]byte{0xff}, 11)...),
		"kind 0":                           content(wire{}.bytes(2, label...)),
		"kind 128":                         content(wire{}.uint(1, 128).bytes(2, label...)),
		"kind 256+16":                      content(wire{}.uint(1, 256+16).bytes(2, label...)),
		"a field that is reserved":         append(slices.Clone(good), wire{}.uint(3, 1)...),
		"origin of 33 bits":                content(wire{}.uint(1, 16).bytes(2, wire{}.uint(1, 1<<32)...)),
		"incarnation of 33 bits":           content(wire{}.uint(1, 16).bytes(2, wire{}.uint(2, 1<<32)...)),
		"stream of 33 bits":                content(wire{}.uint(1, 16).bytes(2, wire{}.uint(3, 1<<32)...)),
		"terms of 33 bits":                 carrying(wire{}.uint(8, 1<<32)),
		"an exponent of 65":                carrying(wire{}.uint(6, protowire.EncodeZigZag(65))),
		"an exponent of 256":               carrying(wire{}.uint(6, protowire.EncodeZigZag(256))),
		"a span that ends before it began": carrying(wire{}.uint(2, 2).uint(3, 1)),
		"a scale beyond the range":         carrying(wire{}.uint(7, dp.MaxValue+1)),
		"a value beyond the range":         carrying(wire{}.bytes(5, protowire.AppendVarint(nil, protowire.EncodeZigZag(dp.MaxValue+1))...)),
		"values cut off":                   carrying(wire{}.bytes(5, 0x80)),
		"more values than there may be":    carrying(wire{}.bytes(5, make([]byte, dp.MaxLen+1)...)),
		"more counts than there may be":    carrying(wire{}.bytes(4, make([]byte, dp.MaxLen+1)...)),
		"a signature of 63 bytes":          append(slices.Clone(good), wire{}.bytes(4, sig[1:]...)...),
		"nothing sealed":                   content(wire{}.uint(1, 16).bytes(2).bytes(5)),
		"more sealed than may be":          content(wire{}.uint(1, 16).bytes(2).bytes(5, make([]byte, dp.MaxSealed+1)...)),
		"more refs than there may be":      content(append(wire{}.uint(1, 16).bytes(2), bytes.Repeat([]byte{3<<3 | 2, 0}, maxRefs+1)...)),
		"more releases than there may be":  content(append(wire{}.uint(1, 16).bytes(2), bytes.Repeat([]byte{4<<3 | 2, 0}, MaxBody+1)...)),
		"a frame beyond the limit":         content(append(wire{}.uint(1, 16).bytes(2), bytes.Repeat(wire{}.bytes(5, make([]byte, 1<<15)...), 2)...)),
	} {
		m, err := Decode(vouch.For([]byte(w)))
		if !errors.Is(err, ErrFrame) {
			t.Errorf("%s: got %v, want ErrFrame", name, err)
		}
		if err != nil && m.message != nil {
			t.Errorf("%s: refused, but part of it was returned", name)
		}
	}
}

// TestLimitsThemselvesAreTaken: what the limits allow, and fits a frame, gets
// through.
func TestLimitsThemselvesAreTaken(t *testing.T) {
	sealed := require.Value(dp.ReceivedSealed(vouch.For(make([]byte, dp.MaxSealed))))(t)
	widest := dptest.Received(t, dp.Fields{
		Stream: 1<<32 - 1, Span: dp.Span{From: 1<<64 - 2, To: 1<<64 - 1}, Exponent: -64, Noise: dp.Noise{Law: dp.Gaussian, Scale: dp.MaxValue, VarianceUnits: 1<<32 - 1},
		Count: slices.Repeat([]uint64{1<<64 - 1}, 100), Value: slices.Repeat([]int64{-dp.MaxValue}, 100),
	})
	most := Label{Origin: 1<<32 - 1, Incarnation: 1<<32 - 1, Stream: 1<<32 - 1, Seq: 1<<64 - 1}
	for name, m := range map[string]Message{
		"refs":     {&message{kind: 1, refs: make([]Label, maxRefs)}},
		"releases": {&message{kind: maxKind, body: make([]dp.Release, MaxBody)}},
		"values":   {&message{kind: 1, body: []dp.Release{dptest.Received(t, dp.Fields{Value: make([]int64, dp.MaxLen), Count: make([]uint64, dp.MaxLen)})}}},
		"sealed":   {&message{kind: 1, sealed: []dp.Sealed{sealed}}},
		"numbers":  {&message{kind: 1, label: most, refs: []Label{most}, body: []dp.Release{widest}, round: 1<<64 - 1, sig: string(bytes.Repeat([]byte{255}, sigLen))}},
	} {
		t.Run(name, func(t *testing.T) { overTheWire(t, m) })
	}
}

// TestDecodingIsCheap: no frame that a peer can send makes Decode allocate more
// than a mebibyte, whether it is taken or not.
func TestDecodingIsCheap(t *testing.T) {
	fill := func(head wire, b []byte) wire {
		return content(append(head, bytes.Repeat(b, (MaxFrame-20)/len(b))...))
	}
	head := func() wire { return wire{}.uint(1, 16).bytes(2) }
	var lists wire
	for len(lists) < MaxFrame-2*dp.MaxLen {
		lists = lists.bytes(4, wire{}.bytes(5, make([]byte, dp.MaxLen)...)...)
	}
	for name, w := range map[string]wire{
		"refs":                content(append(head(), bytes.Repeat([]byte{3<<3 | 2, 0}, maxRefs)...)),
		"refs beyond":         fill(head(), []byte{3<<3 | 2, 0}),
		"releases":            fill(head(), []byte{4<<3 | 2, 0}),
		"releases of a value": fill(head(), wire{}.bytes(4, wire{}.bytes(5, 2)...)),
		"long lists":          content(append(head(), lists...)),
		"one list in pieces":  content(head().bytes(4, bytes.Repeat(wire{}.bytes(5, 2, 2, 2, 2, 2, 2), (MaxFrame-30)/8)...)),
		"values in pieces":    content(head().bytes(4, bytes.Repeat(wire{}.bytes(5, 2), (MaxFrame-30)/3)...)),
		"sealed":              fill(head(), wire{}.bytes(5, 1)),
		"contents":            wire(bytes.Repeat(content(head().bytes(3)), MaxFrame/10)),
		"signatures":          wire(bytes.Repeat(wire{}.bytes(4, make([]byte, sigLen)...), MaxFrame/(sigLen+2))),
	} {
		t.Run(name, func(t *testing.T) {
			if len(w) > MaxFrame || len(w) < 8<<10 {
				t.Fatalf("a frame of %d bytes proves nothing", len(w))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Decode(vouch.For([]byte(w)))
			runtime.ReadMemStats(&after)
			n := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d bytes allocated for %d: %.60v", n, len(w), err)
			if n > 1<<20 {
				t.Errorf("%d bytes allocated for a frame of %d", n, len(w))
			}
		})
	}
}

// FuzzDecode: nothing makes Decode panic; what it takes, Encode writes as it was.
func FuzzDecode(f *testing.F) {
	for _, w := range []wire{
		nil,
		content(wire{}.uint(1, 16).bytes(2)),
		carrying(wire{}.uint(1, 1).uint(3, 4).bytes(4, 1, 2).bytes(5, 2, 3).uint(6, 39).uint(7, 1<<20).uint(8, 1)),
		append(content(wire{}.uint(1, 33).bytes(2, wire{}.uint(1, 1).uint(2, 1).uint(4, 7)...).bytes(3, wire{}.uint(4, 1)...).bytes(3)), wire{}.uint(2, 3).uint(3, 4).bytes(4, make([]byte, sigLen)...)...),
		content(wire{}.uint(1, 100).bytes(2).bytes(5, 1, 2, 3)),
		content(append(wire{}.uint(1, 33).bytes(2), strings.Repeat("\x1a\x00", 100)...)),
	} {
		f.Add([]byte(w))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(vouch.For(b))
		if err != nil {
			return
		}
		if got := Encode(nil, m); !bytes.Equal(got, b) {
			t.Fatalf("%x is written as %x", b, got)
		}
		// Every entry of a decoded list took at least a byte of the frame.
		n := len(m.refs) + len(m.body) + len(m.sealed)
		for _, r := range m.body {
			n += r.Len() + r.Counts()
		}
		if n > len(b) {
			t.Fatalf("%d entries from %d bytes", n, len(b))
		}
	})
}

// FuzzParseRelease: what is taken is written as it was, and every number of it took at
// least a byte.
func FuzzParseRelease(f *testing.F) {
	for _, w := range []wire{
		nil,
		wire{}.uint(1, 1).uint(3, 4).bytes(4, 1, 2).bytes(5, 2, 3).uint(6, 39).uint(7, 1<<20).uint(8, 1),
		wire{}.uint(2, 2).uint(3, 1),
		wire{}.bytes(5, protowire.AppendVarint(nil, protowire.EncodeZigZag(-dp.MaxValue))...).uint(6, 128),
		wire{}.bytes(4, 0x80, 0),
		wire{}.uint(7, dp.MaxValue+1).uint(8, 1),
	} {
		f.Add([]byte(w))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseRelease(vouch.For(b))
		if err != nil {
			if !errors.Is(err, ErrFrame) {
				t.Fatal(err)
			}
			return
		}
		if got := AppendRelease(nil, r); !bytes.Equal(got, b) {
			t.Fatalf("%x is written as %x", b, got)
		}
		if r.Len()+r.Counts() > len(b) {
			t.Fatalf("%d numbers from %d bytes", r.Len()+r.Counts(), len(b))
		}
		n := r.NoiseMoments()
		checkNumber(t, "noise", n.Variance(), 0, math.MaxFloat64)
		checkNumber(t, "scale", n.LaplaceMax, 0, math.MaxFloat64)
		for i := range r.Len() {
			checkNumber(t, "entry", r.At(i), -math.MaxFloat64, math.MaxFloat64)
		}
	})
}

// TestFieldsStandInOrder: a second order of the same fields could carry a hidden bit.
func TestFieldsStandInOrder(t *testing.T) {
	content := Encode(nil, Message{&message{kind: 1, label: Label{Seq: 1}}})
	round := []byte{2 << 3, 7}
	require.Value(Decode(vouch.For(slices.Concat(content, round))))(t)
	if m, err := Decode(vouch.For(slices.Concat(round, content))); !errors.Is(err, ErrFrame) {
		t.Errorf("a round before the content: %v, %v, want ErrFrame", m, err)
	}
}

// checkNumber fails for a number outside of a range.
func checkNumber(t *testing.T, what string, x, least, most float64) {
	t.Helper()
	if !(least <= x && x <= most) {
		t.Fatalf("%s: %v", what, x)
	}
}
