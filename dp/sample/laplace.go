package sample

import "math/bits"

// MaxScale bounds the scale of [Source.Laplace].
const MaxScale = 1 << 40

// Laplace returns x with probability proportional to exp(-|x|/t), exactly, for a scale t from 1
// to [MaxScale]; it panics for any other t. See docs/proofs/samplers.md. It does not draw |x| ≥
// 2^60, whose probability is below exp(-2^20).
//
// It is the sampler of Canonne, Kamath and Steinke (2020, Algorithm 2) with narrower intervals:
// with u uniform below t, kept with probability exp(-u/16t), and j ≥ 0 of weight exp(-j/16), the
// number jt+u has weight exp(-(jt+u)/16t), and ⌊(jt+u)/16⌋ the weight of exp(-x/t).
func (s *Source) Laplace(t uint64) int64 {
	if t-1 >= MaxScale {
		panic("sample: Laplace scale not from 1 to 2^40")
	}
	for {
		w := s.Uint64() // the top bit is the sign, the others are for u
		u, ok := scaled(w<<1, t)
		if !ok {
			continue
		}
		// u/t ≤ (w<<1)/2^64, so a larger v already implies V ≥ u/16t.
		if v := s.Uint64(); v <= w<<1>>intervalBits && !s.bernoulliExp(v, u, t<<intervalBits) {
			continue
		}
		x := int64((u + t*s.geometric()) >> intervalBits)
		sign := int64(w) >> 63 // 0 or -1
		if x == 0 && sign != 0 {
			continue // otherwise 0 would count twice
		}
		return x ^ sign - sign
	}
}

// scaled returns ⌊f·n/2^64⌋, which is uniform below n for f uniform over the even words and n ≤
// 2^62. ok is false for the few f that some values have too many of (Lemire 2019, Algorithm 5);
// they have probability below n/2^63.
func scaled(f, n uint64) (u uint64, ok bool) {
	u, rest := bits.Mul64(f, n)
	return u, rest >= 2*n || rest >= 1<<63%n*2
}
