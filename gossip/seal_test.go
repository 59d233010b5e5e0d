package gossip

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/hex"
	"slices"
	"testing"

	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

// TestSealedTextsAreForOnePeer: the peer that a text is sealed for opens it, and no other peer, in no other network, and not if a
// bit of it has changed or bytes are missing.
func TestSealedTextsAreForOnePeer(t *testing.T) {
	ids := identities(3)
	from, to := keys(t, "net", ids, 0), keys(t, "net", ids, 1)
	text := []byte("a release of forty bytes, or a few more.")
	sealed, err := from.Seal(1, text)
	if err != nil || len(sealed) != len(text)+protocol.SealOverhead {
		t.Fatalf("%d bytes, %v, want %d", len(sealed), err, len(text)+protocol.SealOverhead)
	}
	if got, err := to.Open(sealed); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%q, %v", got, err)
	}
	for i := range len(text) - 3 {
		if bytes.Contains(sealed, text[i:i+4]) {
			t.Errorf("%q stands in the sealed text", text[i:i+4])
		}
	}
	if again, err := from.Seal(1, text); err != nil || bytes.Equal(again[:32], sealed[:32]) || bytes.Equal(again[32:], sealed[32:]) {
		t.Errorf("the same text is sealed the same way again, %v", err)
	}
	for name, k := range map[string]*Keys{
		"the sender": from, "another peer": keys(t, "net", ids, 2), "a longer name": keys(t, "nett", ids, 1), "a shorter name": keys(t, "ne", ids, 1),
	} {
		if got, err := k.Open(sealed); err == nil {
			t.Errorf("%s reads %q", name, got)
		}
	}
	for i := range 8 * len(sealed) {
		changed := slices.Clone(sealed)
		changed[i/8] ^= 1 << (i % 8)
		if got, err := to.Open(changed); err == nil {
			t.Errorf("with bit %d changed it is %q", i, got)
		}
	}
	for n := range sealed {
		if got, err := to.Open(sealed[:n]); err == nil {
			t.Errorf("%d bytes of it are %q", n, got)
		}
	}
	if _, err := to.Open(append(slices.Clone(sealed), 0)); err == nil {
		t.Error("a byte more is ignored")
	}
	for _, nobody := range []protocol.Peer{3, protocol.Everyone} {
		if _, err := from.Seal(nobody, text); err == nil {
			t.Errorf("sealed for peer %d of 3", nobody)
		}
	}
	if empty, err := from.Seal(1, nil); err != nil || len(empty) != protocol.SealOverhead {
		t.Errorf("an empty text has %d bytes, %v", len(empty), err)
	}
}

// TestAFormerKeyOpensNothingNew: after a peer has replaced its identity, what is sealed for it is for the new one alone.
func TestAFormerKeyOpensNothingNew(t *testing.T) {
	ids := identities(3)
	former := keys(t, "net", ids[:2], 1)
	old := require.Value(keys(t, "net", ids[:2], 0).Seal(1, []byte("old")))(t)
	rotated := []Identity{ids[0], ids[2]}
	sealed := require.Value(keys(t, "net", rotated, 0).Seal(1, []byte("new")))(t)
	if got, err := former.Open(sealed); err == nil {
		t.Errorf("the former key opens %q", got)
	}
	present := keys(t, "net", rotated, 1)
	if got, err := present.Open(sealed); err != nil || string(got) != "new" {
		t.Errorf("the new key: %q, %v", got, err)
	}
	if got, err := present.Open(old); err == nil {
		t.Errorf("the new key opens %q, which was sealed before", got)
	}
}

// TestIdentitiesServeForSealing: the public key that is computed from an identity is the one of the private key that is computed
// from its seed, clamped as RFC 8032 has it.
func TestIdentitiesServeForSealing(t *testing.T) {
	for i := range 100 {
		seed := sha512.Sum512_256([]byte{byte(i)})
		private := ed25519.NewKeyFromSeed(seed[:])
		h := sha512.Sum512(seed[:])
		h[0] &= 248
		h[31] = h[31]&127 | 64
		scalar := require.Value(ecdh.X25519().NewPrivateKey(h[:32]))(t)
		want := scalar.PublicKey().Bytes()
		if got := montgomery(private.Public().(ed25519.PublicKey)); !bytes.Equal(got, want) {
			t.Errorf("key %d is %x, want %x", i, got, want)
		}
		opens, err := opening(private)
		if err != nil || !bytes.Equal(opens.PublicKey().Bytes(), want) {
			t.Errorf("key %d opens what is sealed for another, %v", i, err)
		}
	}
}

// TestLowOrderKeysAreRefused: what is sealed for a point of order 1, 2, 4 or 8 could be opened by anyone. A point has two encodings
// if y + 2^255 - 19 fits, and the sign of x changes nothing.
func TestLowOrderKeysAreRefused(t *testing.T) {
	k := keys(t, "net", identities(2), 0)
	for _, s := range []string{
		"0100000000000000000000000000000000000000000000000000000000000000",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"0000000000000000000000000000000000000000000000000000000000000000",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	} {
		key := require.Value(hex.DecodeString(s))(t)
		for range 2 {
			k.public[1] = key
			if _, err := k.Seal(1, []byte("text")); err == nil {
				t.Errorf("sealed for %x", key)
			}
			key[31] ^= 0x80
		}
	}
}

// TestTextsOfAllVersionsOpen: what a peer sealed before an upgrade is opened after it.
func TestTextsOfAllVersionsOpen(t *testing.T) {
	sealed := require.Value(hex.DecodeString(sealedBefore))(t)
	k := keys(t, "net", []Identity{SeedIdentity([32]byte{1}), SeedIdentity([32]byte{2})}, 1)
	if got, err := k.Open(sealed); err != nil || string(got) != "a release" {
		t.Errorf("%q, %v", got, err)
	}
}

// sealedBefore is a text for the second peer of network "net".
const sealedBefore = "32394615bf31af3ef3128f7157d4ea55d6a5bc664a6ed3fdd69590bbc99bd636b06ccfff9b5829e4616bec2f0600f3cf540fb9284063b1d0a9"
