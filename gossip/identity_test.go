package gossip

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

func TestIdentityFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "identity.key")
	made := require.Value(CreateIdentity(path))(t)
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v (%v)", info, err)
	}
	read, err := LoadIdentity(path)
	if err != nil || read.ID() != made.ID() || !read.private.Equals(made.private) {
		t.Errorf("read %s, made %s (%v)", read.ID(), made.ID(), err)
	}
	if _, err := CreateIdentity(path); err == nil {
		t.Error("an identity was overwritten")
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o601} {
		require.NoError(t, os.Chmod(path, mode))
		if _, err := LoadIdentity(path); err == nil || !strings.Contains(err.Error(), "want mode 0600") {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
	require.NoError(t, os.Chmod(path, 0o400))
	if _, err := LoadIdentity(path); err != nil {
		t.Error(err)
	}
}

func TestSameSeedSameIdentity(t *testing.T) {
	a, b, c := SeedIdentity([32]byte{1}), SeedIdentity([32]byte{1}), SeedIdentity([32]byte{2})
	if a.ID() != b.ID() || a.ID() == c.ID() {
		t.Error(a.ID(), b.ID(), c.ID())
	}
	// Lockstep traces of all versions depend on this.
	if want := "12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X"; a.ID() != want {
		t.Errorf("%s, want %s", a.ID(), want)
	}
}

func keys(t testing.TB, network string, ids []Identity, self int) *Keys {
	t.Helper()
	var names []string
	for _, id := range ids {
		names = append(names, id.ID())
	}
	ring := require.Value(NewKeyring(network, names))(t)
	return require.Value(ring.Keys(ids[self]))(t)
}

func TestSignaturesAreBoundToNetworkAndPeer(t *testing.T) {
	ids := identities(3)
	k := keys(t, "net", ids, 1)
	b := []byte("a row")
	sig := k.Sign(b)
	if len(sig) != 64 || !k.Verify(1, b, sig) || !keys(t, "net", ids, 2).Verify(1, b, sig) {
		t.Error("a good signature is refused")
	}
	if k.Verify(0, b, sig) || k.Verify(3, b, sig) || k.Verify(protocol.Everyone, b, sig) {
		t.Error("it is taken for another peer's")
	}
	if k.Verify(1, []byte("a raw"), sig) || k.Verify(1, b, sig[:63]) || k.Verify(1, b, nil) {
		t.Error("it is taken for something else")
	}
	for _, other := range []string{"ne", "nett", "NET"} {
		if keys(t, other, ids, 0).Verify(1, b, sig) || keys(t, other, ids, 0).Verify(1, []byte("ta row"), sig) {
			t.Errorf("it is good in network %q", other)
		}
	}
	if _, err := NewKeyring("net", []string{"nobody"}); err == nil {
		t.Error("an id without a key")
	}
}

// TestADamagedKeyIsRefused: one flipped bit in either half of the key does not make another peer.
func TestADamagedKeyIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "identity.key")
	require.Value(CreateIdentity(path))(t)
	b := require.Value(os.ReadFile(path))(t)
	for bit := range 8 * len(b) {
		b[bit/8] ^= 1 << (bit % 8)
		require.NoError(t, os.WriteFile(path, b, 0o600))
		if id, err := LoadIdentity(path); err == nil {
			t.Errorf("bit %d: read as the key of %s", bit, id.ID())
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("bit %d: %v", bit, err)
		}
		b[bit/8] ^= 1 << (bit % 8)
	}
}

// TestASignatureIsForOneDomain: a signature for one use is valid for no other.
func TestASignatureIsForOneDomain(t *testing.T) {
	id := require.Value(CreateIdentity(filepath.Join(t.TempDir(), "identity.key")))(t)
	sig := require.Value(id.Sign("export", []byte("ledger")))(t)
	for signed, want := range map[string]bool{"export\x00ledger": true, "other\x00ledger": false, "ledger": false} {
		if ok, err := id.private.GetPublic().Verify([]byte(signed), sig); err != nil || ok != want {
			t.Errorf("%q: valid %v, want %v: %v", signed, ok, want, err)
		}
	}
}
