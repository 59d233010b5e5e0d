package forgeable

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/protocol"
)

// TestForgeableKeysFailLikeRealOnes: signatures and sealed texts are of one peer and one text, have the real lengths, and are the
// same each time.
func TestForgeableKeysFailLikeRealOnes(t *testing.T) {
	const self, other = Keys(1), Keys(2)
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "text")
		changed := append(bytes.Clone(b), 0)
		sig := self.Sign(b)
		if len(sig) != 64 || !other.Verify(1, b, sig) || other.Verify(2, b, sig) || other.Verify(1, changed, sig) {
			t.Fatal("a signature")
		}
		sealed, err := self.Seal(2, b)
		if err != nil || len(sealed) != len(b)+protocol.SealOverhead {
			t.Fatalf("%d bytes are sealed in %d, %v", len(b), len(sealed), err)
		}
		if got, err := other.Open(sealed); err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%x, %v", got, err)
		}
		if again, _ := self.Seal(2, b); !bytes.Equal(again, sealed) {
			t.Fatal("it is sealed in another way the second time")
		}
		if got, err := self.Open(sealed); err == nil {
			t.Fatalf("another peer reads %x", got)
		}
		if len(b) > 3 && bytes.Contains(sealed, b) {
			t.Fatal("the text stands in the sealed one")
		}
		if got, err := other.Open(sealed[:rapid.IntRange(0, len(sealed)-1).Draw(t, "bytes")]); err == nil {
			t.Fatalf("a part of it is %x", got)
		}
		sealed[rapid.IntRange(0, len(sealed)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if got, err := other.Open(sealed); err == nil {
			t.Fatalf("changed, it is %x", got)
		}
	})
}
