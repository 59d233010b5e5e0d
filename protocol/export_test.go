package protocol

import (
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
)

// overTheWire encodes m, checks that the encoding keeps its promises, and returns what
// comes out at the other end.
func overTheWire(t testing.TB, m Message) Message {
	t.Helper()
	b := Encode(nil, m)
	got, err := Decode(vouch.For(b))
	if err != nil {
		t.Fatalf("%+v does not survive the wire: %v", m.message, err)
	}
	if !equal(got, m) {
		t.Fatalf("sent     %+v\nreceived %+v", m.message, got.message)
	}
	if fresh := changed(got, func(*message) {}); string(Encode(nil, fresh)) != m.Frame() {
		t.Fatalf("%+v is written in two ways", m.message)
	}
	return got
}

// equal compares messages field by field, without the help of the codec.
func equal(a, b Message) bool {
	return a.kind == b.kind && a.label == b.label && a.round == b.round &&
		slices.Equal(a.refs, b.refs) &&
		slices.EqualFunc(a.body, b.body, dp.Release.Equal) &&
		slices.EqualFunc(a.sealed, b.sealed, func(x, y dp.Sealed) bool { return x == y }) &&
		a.sig == b.sig
}
