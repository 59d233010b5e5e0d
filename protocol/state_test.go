package protocol_test

import (
	"bytes"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// TestStatesAreReadAsTheyWereSaved: bytes and releases of another module's, empty ones among them, and the bytes of this
// module's. Bytes of one never become the other's, and no list or slice is shared.
func TestStatesAreReadAsTheyWereSaved(t *testing.T) {
	b, releases := []byte{1, 2}, []dp.Release{{}, dptest.Received(t, dp.Fields{Value: []int64{3}}), {}}
	s := protocol.Saved(b, releases...)
	b[0], releases[1] = 9, dp.Release{}
	s.Bytes()[0], s.Releases()[1] = 9, dp.Release{}
	got, err := protocol.DecodeState(vouch.For(s.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []protocol.State{s, got} {
		if want := []int64{0, 3, 0}; !bytes.Equal(s.Bytes(), []byte{1, 2}) || !slices.EqualFunc(s.Releases(), want, func(r dp.Release, v int64) bool {
			return v == 0 && r.Empty() || v != 0 && r.Len() == 1 && r.Value(0) == v
		}) {
			t.Errorf("%x and %+v", s.Bytes(), s.Releases())
		}
		if inside, none := protocol.Inside(vouch.For(s)); none == nil {
			t.Errorf("%x are taken for bytes of this module", inside)
		}
	}
	s, err = protocol.DecodeState(vouch.For(protocol.SavedInside(vouch.For([]byte{1, 2})).Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if inside, err := protocol.Inside(vouch.For(s)); err != nil || !bytes.Equal(inside, []byte{1, 2}) {
		t.Errorf("%x, %v", inside, err)
	}
	if s.Bytes() != nil || len(s.Releases()) > 0 {
		t.Errorf("another module reads %x and %+v", s.Bytes(), s.Releases())
	}
	if s.Encode()[0] = 9; s.Encode()[0] != 1 {
		t.Error("another module changes the bytes")
	}
}
