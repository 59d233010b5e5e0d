package sample

import "math/bits"

// bernoulli is true with probability exactly a/b, for 0 ≤ a ≤ b, b ≥ 1. It compares a uniform
// number V in [0,1) with a/b. V is drawn digit by digit, in base 2^64, only as far as necessary;
// v is its first digit, already drawn.
func (s *Source) bernoulli(v, a, b uint64) bool {
	for {
		hi, lo := bits.Mul64(v, b) // v·b against a·2^64
		if hi >= a {
			return false
		}
		if hi+1 < a || lo == 0 || -lo >= b {
			return true // even if all later digits were ones
		}
		v, a = s.Uint64(), -lo // b·(later digits) against the remainder of a
	}
}

// bernoulliExp is true with probability exactly exp(-a/b), for 0 ≤ a ≤ b: the first K for which
// Ber(a/(bK)) is false is odd with probability Σ (-a/b)^k/k! (Forsythe 1972; Canonne, Kamath and
// Steinke 2020, Algorithm 1). v is the first digit of the first of them. b·K must fit in 64 bits;
// K ≥ k has probability at most 1/(k-1)!.
func (s *Source) bernoulliExp(v, a, b uint64) bool {
	k := uint64(1)
	for s.bernoulli(v, a, b*k) {
		k++
		v = s.Uint64()
	}
	return k&1 == 1
}

// exp is true with probability exactly exp(-a/b), for b from 1 to 2^53, as
// exp(-⌊a/b⌋)·exp(-(a mod b)/b).
func (s *Source) exp(a, b uint64) bool {
	if a >= b {
		if s.geometric()>>intervalBits < a/b {
			return false
		}
		a %= b
	}
	return s.bernoulliExp(s.Uint64(), a, b)
}
