package dp

import (
	"errors"
	"math/rand/v2"

	"peerd.dev/internal/vouch"
)

// Split returns two additive shares of a Release: their values add up to its values modulo 2^62, as
// [Joined] adds. Each value of either share is uniform from -2^61 to 2^61-1, so one share alone is
// independent of r's values. The noise and the counts stay in a.
//
// The random numbers are the only secret between the two shares, so they come from a cryptographic
// source that no other peer knows, which protocols have in Config.Secret. They are vouched for
// because b is made of nothing else.
func Split(r Release, secret vouch.Value[*rand.Rand]) (a, b Release, err error) {
	from := secret.Get()
	if from == nil {
		return a, b, errors.New("dp: shares without a source of random numbers")
	}
	a, b = r, Release{stream: r.stream, span: r.span, e: r.e}
	a.v, b.v, a.count = make([]int64, len(r.v)), make([]int64, len(r.v)), append([]uint64(nil), r.count...)
	for i, x := range r.v {
		b.v[i] = half(int64(from.Uint64()))
		a.v[i] = half(x - b.v[i])
	}
	return a, b, nil
}

// Joined adds up any number of shares, or of such sums, modulo 2^62. With both shares of every
// Release it is their sum, exactly if that is from -2^61 to 2^61-1 in every value, however many they are. With
// one missing its values are uniform. Streams, lattices and widths are equal, and counts where there are any; counts,
// noise and span are as in [Total]. Its errors are [ErrShape] and [ErrOverflow], of counts and noise.
func Joined(shares []Release) (Release, error) {
	if len(shares) == 0 {
		return Release{}, ErrShape
	}
	out := Release{stream: shares[0].stream, span: shares[0].span, e: shares[0].e, v: make([]int64, len(shares[0].v))}
	for i := range shares {
		s := &shares[i]
		if len(out.count) == 0 {
			out.count = make([]uint64, len(s.count))
		}
		if len(s.count) != 0 && len(s.count) != len(out.count) {
			return Release{}, ErrShape
		}
		if err := out.include(s); err != nil {
			return Release{}, err
		}
		for k, x := range s.v {
			out.v[k] = half(out.v[k] + x)
		}
	}
	return out, nil
}

// half returns the number from -2^61 to 2^61-1 that is x modulo 2^62.
func half(x int64) int64 { return x << 2 >> 2 }
