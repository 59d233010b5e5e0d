package protocol

import "testing"

// TestPublicRandomnessIsShared: peers of one network draw the same numbers for one use in
// one epoch, and others for another use, epoch or network.
func TestPublicRandomnessIsShared(t *testing.T) {
	one, other := Config{Self: 0, Public: [32]byte{1}}, Config{Self: 7, Public: [32]byte{1}}
	if a, b := one.PublicRand("participants", 3).Uint64(), other.PublicRand("participants", 3).Uint64(); a != b {
		t.Errorf("peers of one network draw %d and %d", a, b)
	}
	seen := map[uint64]bool{}
	for _, x := range []uint64{
		one.PublicRand("participants", 3).Uint64(), one.PublicRand("participants", 4).Uint64(),
		one.PublicRand("cliques", 3).Uint64(), (&Config{Public: [32]byte{2}}).PublicRand("participants", 3).Uint64(),
	} {
		seen[x] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d different numbers of 4 uses", len(seen))
	}
}
