package sample

// narrowSigma bounds the σ for which (|y|-σ)² and 2σ² fit in 64 bits.
const narrowSigma = 1 << 26

// maxTimes cuts off the distribution of a wide Gaussian at 2^16 σ or more.
const maxTimes = 1 << 16

// wideGaussian is [Source.Gaussian] for a σ up to [MaxSigma]: with d = |(|y|-σ)| = qσ + r
// and r < σ it keeps y with
//
//	exp(-d²/2σ²) = exp(-q²/2) · exp(-r/σ)^q · exp(-(r/σ)²/2).
func (s *Source) wideGaussian(sigma uint64) int64 {
	for {
		y := s.Laplace(sigma)
		d := max(y, -y) - int64(sigma)
		q, r := uint64(max(d, -d))/sigma, uint64(max(d, -d))%sigma
		if q < maxTimes && s.geometric() >= intervalsPerUnit/2*q*q && s.bernoulliExps(q, r, sigma) && s.bernoulliExpHalfSquare(r, sigma) {
			return y
		}
	}
}

// bernoulliExps is true with probability exactly exp(-n·a/b).
func (s *Source) bernoulliExps(n, a, b uint64) bool {
	for range n {
		if !s.bernoulliExp(s.Uint64(), a, b) {
			return false
		}
	}
	return true
}

// bernoulliExpHalfSquare is true with probability exactly exp(-(a/b)²/2), like
// [Source.bernoulliExp] with Ber(a²/2b²k) as Ber(a/b) twice and Ber(1/2k).
func (s *Source) bernoulliExpHalfSquare(a, b uint64) bool {
	k := uint64(1)
	//nolint:staticcheck // two answers, each drawn by itself
	for s.bernoulli(s.Uint64(), a, b) && s.bernoulli(s.Uint64(), a, b) && s.bernoulli(s.Uint64(), 1, 2*k) {
		k++
	}
	return k&1 == 1
}
