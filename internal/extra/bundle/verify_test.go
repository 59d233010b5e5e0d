package bundle

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"peerd.dev/internal/require"
)

// clinics returns a bundle that an earlier build wrote.
func clinics(t *testing.T) []byte {
	t.Helper()
	return require.Value(os.ReadFile("testdata/clinics.tar"))(t)
}

// TestAnEarlierBundleVerifies: later builds go on reading this format.
func TestAnEarlierBundleVerifies(t *testing.T) {
	r := require.Value(Verify(bytes.NewReader(clinics(t))))(t)
	if r.Site != "a" || r.Version != 4 || len(r.Members) != 3 || r.Ledger.Releases == 0 || len(r.Witnesses) != 2 || r.Checkpoints != 1 || r.Promise == "" {
		t.Errorf("%+v", r)
	}
	var text bytes.Buffer
	if r.Write(&text); !bytes.Contains(text.Bytes(), []byte("c: saw records 0 to ")) {
		t.Error(text.String())
	}
}

// TestEveryByteCounts: a bundle with a bit flipped, or cut anywhere, is a fault. What fills the last block of an entry is no part of it.
func TestEveryByteCounts(t *testing.T) {
	b := clinics(t)
	filling := func(i int) bool { // zeros to the end of a block, and a blank after the sum of a header, which no program reads
		return i%block == 155 && b[i] == ' ' || len(bytes.Trim(b[i:(i/block+1)*block], "\x00")) == 0
	}
	wrong := new(Fault)
	for i := 0; i < len(b)-2*block; i += 41 {
		if filling(i) {
			continue
		}
		b[i] ^= 1 << (i % 8)
		if _, err := Verify(bytes.NewReader(b)); !errors.As(err, &wrong) {
			t.Errorf("byte %d: %v", i, err)
		}
		b[i] ^= 1 << (i % 8)
		if _, err := Verify(bytes.NewReader(b[:i])); !errors.As(err, &wrong) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
}
