package protocol

import "peerd.dev/dp"

// AppendRelease appends r to b as it stands in a message.
func AppendRelease(b []byte, r dp.Release) []byte { return appendRelease(b, &r) }

// ParseRelease reads the one release that b holds. It takes nothing but the
// canonical form and keeps no part of b.
func ParseRelease(b []byte) (dp.Release, error) {
	if len(b) > MaxFrame {
		return dp.Release{}, frameError("release", "%d bytes, at most %d", len(b), MaxFrame)
	}
	return decodeRelease(b)
}
