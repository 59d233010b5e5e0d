package protocol

import (
	"encoding/binary"
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
)

// What a sealed text holds is a release in its canonical form behind its length, two bytes, and
// zeros up to a length that its shape alone decides. Without them the length would depend on
// how large the numbers are.
const (
	sealedHead  = 2
	sealedField = 58 // the most bytes of all fields except the numbers, and of the tags and lengths of these
	sealedValue = 9  // the most of a value within ±2^61
	sealedCount = 10 // the most of a count
)

// SealedLen returns the length of the text of a sealed release with numbers of values and counts, in bytes.
func SealedLen(values, counts int) int { return SealOverhead + openedLen(values, counts) }

// openedLen returns the length of what a sealed text holds.
func openedLen(values, counts int) int {
	return sealedHead + sealedField + sealedValue*values + sealedCount*counts
}

// Seal encrypts a release so that one peer alone can read it, in a text whose length follows from
// the numbers of values and counts. It refuses a release too long for [dp.MaxSealed], some 3,600
// values, and a peer without a key.
func (p Press) Seal(to Peer, r dp.Release) (dp.Sealed, error) {
	n := openedLen(r.Len(), r.Counts())
	if n > dp.MaxSealed-SealOverhead {
		return dp.Sealed{}, fmt.Errorf("protocol: %d values and %d counts are too many to seal", r.Len(), r.Counts())
	}
	b := appendRelease(make([]byte, sealedHead, n), &r)
	binary.BigEndian.PutUint16(b, uint16(len(b)-sealedHead))
	sealed, err := p.keys.Seal(to, b[:n])
	if err != nil {
		return dp.Sealed{}, fmt.Errorf("protocol: sealing for peer %d: %w", to, err)
	}
	if len(sealed) != n+SealOverhead {
		return dp.Sealed{}, fmt.Errorf("protocol: %d bytes are sealed in %d, want %d", n, len(sealed), n+SealOverhead)
	}
	return dp.ReceivedSealed(vouch.For(sealed))
}

// Open decrypts what was sealed for this peer and reads the release in it as [Decode] does. It
// accepts no other padding than Seal's. Its errors wrap [ErrPeer], and those about what was sealed [ErrFrame] too.
func (p Press) Open(s dp.Sealed) (dp.Release, error) {
	b, err := p.keys.Open(s.Bytes())
	if err != nil {
		return dp.Release{}, fmt.Errorf("%w: a sealed text: %w", ErrPeer, err)
	}
	r, err := unpad(b)
	if err != nil {
		return dp.Release{}, fmt.Errorf("%w: %w", ErrPeer, err)
	}
	return r, nil
}

// unpad reads what a sealed text holds.
func unpad(b []byte) (dp.Release, error) {
	if len(b) < sealedHead {
		return dp.Release{}, frameError("sealed", "%d bytes", len(b))
	}
	n := sealedHead + int(binary.BigEndian.Uint16(b))
	if n > len(b) {
		return dp.Release{}, frameError("sealed", "a release of %d bytes, %d left", n-sealedHead, len(b)-sealedHead)
	}
	r, err := decodeRelease(b[sealedHead:n])
	if err != nil {
		return dp.Release{}, err
	}
	if want := openedLen(r.Len(), r.Counts()); len(b) != want {
		return dp.Release{}, frameError("sealed", "padded to %d bytes, want %d", len(b), want)
	}
	for _, x := range b[n:] {
		if x != 0 {
			return dp.Release{}, frameError("sealed", "padded with other bytes than 0")
		}
	}
	return r, nil
}
