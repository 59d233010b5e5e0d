package averages

import (
	"errors"
	"math/rand/v2"

	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
)

// Split returns two additive shares of a Release: their values add up to its values modulo 2^62, and their counts to its
// counts modulo 2^64, as [Joined] adds. Each number of either share is uniform, from -2^61 to 2^61-1 in values, so
// one share alone is independent of r's numbers. What is known of the noise stays in a.
//
// The random numbers are the only secret between the two shares, so they come from a cryptographic
// source that no other peer knows, which protocols have in Config.Secret. They are vouched for
// because b is made of nothing else.
func Split(r dp.Release, secret vouch.Value[*rand.Rand]) (a, b dp.Release, err error) {
	from := secret.Get()
	if from == nil {
		return a, b, errors.New("dp: shares without a source of random numbers")
	}
	first := r.Fields()
	second := dp.Fields{Stream: r.Stream(), Span: r.Span(), Exponent: r.Exponent(), Value: make([]int64, r.Len()), Count: make([]uint64, r.Counts())}
	for i, x := range first.Value {
		second.Value[i] = half(int64(from.Uint64()))
		first.Value[i] = half(x - second.Value[i])
	}
	for i, n := range first.Count {
		second.Count[i] = from.Uint64()
		first.Count[i] = n - second.Count[i]
	}
	dp.Remake(vouch.For(&a), first)
	dp.Remake(vouch.For(&b), second)
	return a, b, nil
}

// Joined adds up any number of shares, or of such sums, modulo 2^62 and in counts modulo 2^64. With both shares of every
// Release it is their sum, exactly if that is from -2^61 to 2^61-1 in every value and below 2^64 in every count. With
// one missing its numbers are uniform. Streams, lattices, widths and numbers of counts are equal; noise and span are as in
// [dp.Total]. Its errors are [dp.ErrShape] and, of noise, [dp.ErrOverflow].
func Joined(shares []dp.Release) (dp.Release, error) { return made(joined(shares)) }

func joined(shares []dp.Release) (sum dp.Fields, err error) {
	blank := make([]dp.Release, len(shares))
	for i := range shares {
		f := shares[i].Fields()
		clear(f.Value)
		clear(f.Count)
		dp.Remake(vouch.For(&blank[i]), f)
	}
	whole, err := dp.Total(blank)
	if err != nil {
		return sum, err
	}
	sum = shares[0].Fields()
	sum.Span, sum.Noise = whole.Span(), whole.Noise()
	for i := range shares[1:] {
		s := &shares[1+i]
		for k := range sum.Value {
			sum.Value[k] = half(sum.Value[k] + s.Value(k))
		}
		for k := range sum.Count {
			sum.Count[k] += s.Count(k)
		}
	}
	return sum, nil
}

// half returns the number from -2^61 to 2^61-1 that is x modulo 2^62.
func half(x int64) int64 { return x << 2 >> 2 }
