package dp

import (
	"errors"
	"math/rand/v2"

	"peerd.dev/internal/vouch"
)

// Split returns two additive shares of a Release: their values add up to its values modulo 2^62, and their counts to its
// counts modulo 2^64, as [Joined] adds. Each number of either share is uniform, from -2^61 to 2^61-1 in values, so
// one share alone is independent of r's numbers. What is known of the noise stays in a.
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
	a.v, b.v = make([]int64, len(r.v)), make([]int64, len(r.v))
	a.count, b.count = make([]uint64, len(r.count)), make([]uint64, len(r.count))
	for i, x := range r.v {
		b.v[i] = half(int64(from.Uint64()))
		a.v[i] = half(x - b.v[i])
	}
	for i, n := range r.count {
		b.count[i] = from.Uint64()
		a.count[i] = n - b.count[i]
	}
	return a, b, nil
}

// Joined adds up any number of shares, or of such sums, modulo 2^62 and in counts modulo 2^64. With both shares of every
// Release it is their sum, exactly if that is from -2^61 to 2^61-1 in every value and below 2^64 in every count. With
// one missing its numbers are uniform. Streams, lattices, widths and numbers of counts are equal; noise and span are as in
// [Total]. Its errors are [ErrShape] and, of noise, [ErrOverflow].
func Joined(shares []Release) (Release, error) {
	if len(shares) == 0 {
		return Release{}, ErrShape
	}
	out := shares[0]
	out.v, out.count = append([]int64(nil), out.v...), append([]uint64(nil), out.count...)
	for i := range shares[1:] {
		s := &shares[1+i]
		if err := out.include(s); err != nil {
			return Release{}, err
		}
		for k, x := range s.v {
			out.v[k] = half(out.v[k] + x)
		}
		for k, n := range s.count {
			out.count[k] += n
		}
	}
	return out, nil
}

// half returns the number from -2^61 to 2^61-1 that is x modulo 2^62.
func half(x int64) int64 { return x << 2 >> 2 }
