package protocol

import (
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/internal/vouch"
)

// AppendRelease appends r to b as it stands in a message.
func AppendRelease(b []byte, r dp.Release) []byte { return appendRelease(b, &r) }

// VisitRelease visits a release in a saved state, and nothing if it is empty.
func VisitRelease(in vouch.Value[*state.Visitor], r *dp.Release) {
	v := in.Get()
	var b []byte
	if !v.Loading() && !r.Empty() {
		b = AppendRelease(nil, *r)
	}
	if v.Bytes(&b); v.Loading() && v.OK() {
		var err error
		if *r, err = ParseRelease(vouch.For(b)); err != nil {
			v.Fail("%w", err)
		}
	}
}

// ParseRelease reads the one release that saved holds. It takes nothing but the
// canonical form and keeps no part of it.
func ParseRelease(saved vouch.Value[[]byte]) (dp.Release, error) {
	b := saved.Get()
	if len(b) > MaxFrame {
		return dp.Release{}, frameError("release", "%d bytes, at most %d", len(b), MaxFrame)
	}
	return decodeRelease(b)
}
