package epochs

import (
	"encoding/binary"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
)

// TestFingerprintsAreSalted: two signatures that were tried until their fingerprints are equal under one
// salt differ under nearly all others.
func TestFingerprintsAreSalted(t *testing.T) {
	held := func(n uint64) *contribution {
		return &contribution{m: protocoltest.Draft{Kind: gisData, Sig: binary.BigEndian.AppendUint64(make([]byte, 56), n)}.Message(), second: protocol.NoMessage()}
	}
	tried := make(map[dp.StreamID]*contribution)
	var a, b *contribution
	for n := uint64(0); a == nil; n++ {
		b = held(n)
		f := b.fingerprint(leastSalt)
		if f < leastFingerprint || f >= endFingerprints {
			t.Fatalf("fingerprint %d", f)
		}
		a = tried[f]
		tried[f] = b
	}
	equal := 0
	for salt := leastSalt + 1; salt < leastSalt+1000; salt++ {
		if a.fingerprint(salt) == b.fingerprint(salt) {
			equal++
		}
	}
	if equal > 5 { // 0.06 on average
		t.Errorf("equal under %d of 999 salts", equal)
	}
}
