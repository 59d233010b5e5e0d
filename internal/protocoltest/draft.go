package protocoltest

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// A Draft is a message that can be changed.
type Draft struct {
	Kind   protocol.Kind
	Label  protocol.Label
	Refs   []protocol.Label
	Body   []dp.Release
	Sealed []dp.Sealed
	Round  protocol.Round
	Sig    []byte
}

// DraftOf returns what a message says. It shares no list with the message, except what is sealed.
func DraftOf(m protocol.Message) Draft {
	c := m.Content()
	return Draft{c.Kind, c.Label, c.Refs, c.Body, m.Sealed(), m.Round(), []byte(m.Signature())}
}

// Message returns the message as another peer has it: through the wire, since only a protocol's
// press makes one in a peer. It panics if the wire cannot carry the draft.
func (d Draft) Message() protocol.Message {
	m, err := protocol.Decode(vouch.For(d.frame(d.content())))
	if err != nil {
		panic(err)
	}
	return m
}

// Signed returns the message with a signature.
func (d Draft) Signed(k protocol.Keys) protocol.Message {
	d.Sig = k.Sign(d.content())
	return d.Message()
}

// content writes what a signature covers; docs/wire.proto has the fields.
func (d Draft) content() (b []byte) {
	b = appendUint(b, 1, uint64(d.Kind))
	b = appendPart(b, 2, label(d.Label))
	for _, l := range d.Refs {
		b = appendPart(b, 3, label(l))
	}
	for _, r := range d.Body {
		b = appendPart(b, 4, protocol.AppendRelease(nil, r))
	}
	for _, s := range d.Sealed {
		b = appendPart(b, 5, s.Bytes())
	}
	return b
}

func (d Draft) frame(content []byte) []byte {
	b := appendUint(appendPart(nil, 1, content), 2, uint64(d.Round))
	if len(d.Sig) > 0 {
		b = appendPart(b, 4, d.Sig)
	}
	return b
}

func label(l protocol.Label) (b []byte) {
	for i, v := range []uint64{uint64(l.Origin), uint64(l.Incarnation), uint64(l.Stream), l.Seq} {
		b = appendUint(b, protowire.Number(i+1), v)
	}
	return b
}

// appendUint appends a number; the wire omits 0.
func appendUint(b []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendPart(b []byte, field protowire.Number, part []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), part)
}

// Carry encodes a message, checks that the codec keeps its promises, and returns what comes out at
// the other end, which it compares field by field.
func Carry(t testing.TB, m protocol.Message) protocol.Message {
	t.Helper()
	b, sent := protocol.Encode(nil, m), DraftOf(m)
	got, err := protocol.Decode(vouch.For(b))
	if err != nil {
		t.Fatalf("%+v does not survive the wire: %v", sent, err)
	}
	if received := DraftOf(got); !sent.equal(received) {
		t.Fatalf("sent     %+v\nreceived %+v", sent, received)
	}
	if !bytes.Equal(sent.frame(sent.content()), b) {
		t.Fatalf("%+v is written in two ways", sent)
	}
	return got
}

// equal compares field by field, without the help of the codec.
func (d Draft) equal(o Draft) bool {
	return d.Kind == o.Kind && d.Label == o.Label && d.Round == o.Round &&
		slices.Equal(d.Refs, o.Refs) &&
		slices.EqualFunc(d.Body, o.Body, dp.Release.Equal) &&
		slices.EqualFunc(d.Sealed, o.Sealed, func(x, y dp.Sealed) bool { return x == y }) &&
		bytes.Equal(d.Sig, o.Sig)
}
