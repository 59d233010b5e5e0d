package protocol_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// pressing are parameters of a protocol that is nothing except its press.
type pressing struct {
	protocol.Params
	press *protocol.Press
}

func (pressing) Words() protocol.Words { return protocol.Words{} }

func (p pressing) New(c protocol.Config) (protocol.Protocol, error) {
	*p.press = c.Press
	return nil, nil
}

// Traits implements [protocol.Traited].
func (pressing) Traits() protocol.Traits {
	return protocol.Traits{Kinds: map[protocol.Kind]string{protocol.FirstFree: "sealed"}}
}

// pressOf returns the press of a peer.
func pressOf(t testing.TB, k protocol.Keys) (p protocol.Press) {
	t.Helper()
	require.Value(protocol.New(pressing{press: &p}, protocol.Config{Keys: vouch.For[protocol.Keys](k)}))(t)
	return p
}

// TestSealedReleasesComeBack: the peer that a release is sealed for reads it, and no other peer, and a changed bit is noticed.
func TestSealedReleasesComeBack(t *testing.T) {
	from, to := pressOf(t, protocoltest.Keys(1)), pressOf(t, protocoltest.Keys(2))
	rapid.Check(t, func(t *rapid.T) {
		r := dptest.AnyRelease().Draw(t, "release")
		s := require.Value(from.Seal(2, r))(t)
		if got, err := to.Open(s); err != nil || !got.Equal(r) {
			t.Fatalf("got %+v, %v, want %+v", got, err, r)
		}
		if got, err := from.Open(s); !errors.Is(err, protocol.ErrPeer) {
			t.Fatalf("another peer reads %+v, %v", got, err)
		}
		b := s.Bytes()
		if plain := protocol.AppendRelease(nil, r); len(plain) > 3 && bytes.Contains(b, plain) {
			t.Fatal("the release stands in the sealed text")
		}
		b[rapid.IntRange(0, len(b)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if got, err := to.Open(received(t, b)); !errors.Is(err, protocol.ErrPeer) {
			t.Fatalf("changed, it is %+v, %v", got, err)
		}
	})
}

// TestSealedLengthsFollowFromShapes: releases with as many values and counts are sealed in texts of one length, from zeros to the
// greatest numbers in every field.
func TestSealedLengthsFollowFromShapes(t *testing.T) {
	p := pressOf(t, protocoltest.Keys(1))
	length := func(f dp.Fields) int {
		s := require.Value(p.Seal(1, dptest.Received(t, f)))(t)
		return len(s.Bytes())
	}
	for _, values := range []int{0, 1, 14, 65, 3600} {
		for _, counts := range []int{0, 1, 12} {
			least := dp.Fields{Value: make([]int64, values), Count: make([]uint64, counts)}
			greatest := dp.Fields{
				Stream: math.MaxUint32, Span: dp.Span{From: math.MaxUint64, To: math.MaxUint64}, Exponent: 64,
				Value: slices.Repeat([]int64{dp.MaxValue}, values), Count: slices.Repeat([]uint64{math.MaxUint64}, counts),
				Noise: dp.Noise{Law: dp.Gaussian, Scale: dp.MaxValue, VarianceUnits: math.MaxUint32},
			}
			lowest := greatest
			lowest.Value, lowest.Exponent = slices.Repeat([]int64{-dp.MaxValue}, values), -64
			want := 2 + 58 + 9*values + 10*counts + protocol.SealOverhead
			if a, b, c := length(least), length(greatest), length(lowest); a != want || b != want || c != want {
				t.Errorf("%d values and %d counts take %d, %d and %d bytes, want %d", values, counts, a, b, c, want)
			}
		}
	}
	if s, err := p.Seal(1, dptest.Received(t, dp.Fields{Value: make([]int64, dp.MaxLen)})); err == nil {
		t.Errorf("%d values are sealed in %d bytes", dp.MaxLen, len(s.Bytes()))
	}
}

// TestOtherPaddingIsRefused: a second way to seal the same release could carry a hidden bit.
func TestOtherPaddingIsRefused(t *testing.T) {
	k := protocoltest.Keys(1)
	p := pressOf(t, k)
	r := dptest.Received(t, dp.Fields{Stream: 1, Span: dp.Span{To: 3}, Value: []int64{-5, 1 << 40}, Count: []uint64{7}})
	s := require.Value(p.Seal(1, r))(t)
	plain := require.Value(k.Open(s.Bytes()))(t)
	n := len(protocol.AppendRelease(nil, r))
	for name, change := range map[string]func(b []byte) []byte{
		"nothing":           func([]byte) []byte { return nil },
		"half a length":     func(b []byte) []byte { return b[:1] },
		"a length alone":    func(b []byte) []byte { return b[:2] },
		"a byte more":       func(b []byte) []byte { return append(b, 0) },
		"a byte less":       func(b []byte) []byte { return b[:len(b)-1] },
		"no padding":        func(b []byte) []byte { return b[:2+n] },
		"its last byte":     func(b []byte) []byte { b[len(b)-1] = 1; return b },
		"its first byte":    func(b []byte) []byte { b[2+n] = 0x80; return b },
		"a longer release":  func(b []byte) []byte { b[1]++; return b },
		"a shorter one":     func(b []byte) []byte { b[1]--; return b },
		"longer than there": func(b []byte) []byte { b[0] = 0xff; return b },
		"another order":     func(b []byte) []byte { b[2], b[4] = b[4], b[2]; return b },
		"a value out of ±2^61": func([]byte) []byte {
			return padded(slices.Concat([]byte{5<<3 | 2, 9}, binary.AppendUvarint(nil, 1<<62+2)), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			sealed := require.Value(k.Seal(1, change(slices.Clone(plain))))(t)
			if got, err := p.Open(received(t, sealed)); !errors.Is(err, protocol.ErrPeer) || !errors.Is(err, protocol.ErrFrame) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if sealed, err := k.Seal(1, plain); err != nil || !bytes.Equal(sealed, s.Bytes()) {
		t.Errorf("unchanged, it is sealed in another way: %v", err)
	}
}

// padded returns what a sealed text with an encoded release of some values and no counts holds.
func padded(release []byte, values int) []byte {
	b := make([]byte, 60+9*values)
	binary.BigEndian.PutUint16(b, uint16(len(release)))
	copy(b[2:], release)
	return b
}

// received returns a sealed text as the wire has it.
func received(t require.TB, b []byte) dp.Sealed {
	return require.Value(dp.ReceivedSealed(vouch.For(b)))(t)
}

// FuzzOpen: a release that is opened is sealed in the way in which it was.
func FuzzOpen(f *testing.F) {
	f.Add(padded(nil, 0))
	f.Add(padded([]byte{5<<3 | 2, 1, 3}, 1))
	f.Add(padded([]byte{1 << 3, 1, 3 << 3, 4, 5<<3 | 2, 2, 2, 3, 6 << 3, 39, 7 << 3, 1, 8 << 3, 1}, 2))
	f.Add(padded([]byte{5<<3 | 2, 1, 0x80}, 1))
	f.Add([]byte{0xff, 0xff})
	k := protocoltest.Keys(1)
	p := pressOf(f, k)
	f.Fuzz(func(t *testing.T, b []byte) {
		sealed, err := k.Seal(1, b)
		if err != nil || len(sealed) > dp.MaxSealed {
			return
		}
		r, err := p.Open(received(t, sealed))
		if err != nil {
			if !errors.Is(err, protocol.ErrPeer) {
				t.Fatal(err)
			}
			return
		}
		again, err := p.Seal(1, r)
		if err != nil || !bytes.Equal(again.Bytes(), sealed) {
			t.Fatalf("%x is opened, but not what Seal makes: %v", b, err)
		}
	})
}

// TestAPressWithoutKeysOpensNothing: nor does it seal.
func TestAPressWithoutKeysOpensNothing(t *testing.T) {
	p := pressOf(t, nil)
	if r, err := p.Open(received(t, make([]byte, 200))); !errors.Is(err, protocol.ErrPeer) {
		t.Errorf("%+v, %v", r, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a release is sealed without keys")
		}
	}()
	_, _ = p.Seal(0, dp.Release{})
}

// TestSealedReleasesTravel: a message has them, its signature covers them, and a copy of its content as well.
func TestSealedReleasesTravel(t *testing.T) {
	p := pressOf(t, protocoltest.Keys(1))
	s := require.Value(p.Seal(2, dptest.Received(t, dp.Fields{Value: []int64{5}})))(t)
	sent := p.Signed(protocol.Content{Kind: protocol.FirstFree, Label: protocol.Label{Origin: 1}, Sealed: []dp.Sealed{s}})
	m := protocoltest.Carry(t, sent)
	if got := m.Content().Sealed; !slices.Equal(got, []dp.Sealed{s}) || !p.Authentic(m) {
		t.Errorf("%d sealed releases, authentic: %v", len(got), p.Authentic(m))
	}
	d := protocoltest.DraftOf(m)
	if d.Sealed = nil; p.Authentic(d.Message()) {
		t.Error("the signature does not cover what is sealed")
	}
	c := m.Content()
	if c.Sealed[0] = (dp.Sealed{}); m.Sealed()[0] != s {
		t.Error("a message shares its list with its content")
	}
}
