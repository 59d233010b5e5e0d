package sample

// MaxSigma bounds the sigma of [Source.Gaussian].
const MaxSigma = MaxScale

// maxBeyond cuts off the distribution of Gaussian at sigma+2^31, at least 33 sigma, beyond which
// the probability is below 2·exp(-544).
const maxBeyond = 1 << 31

// Gaussian returns x with probability proportional to exp(-x²/2σ²), exactly except for a cut-off
// of probability below exp(-543), for an integer σ from 1 to [MaxSigma]; it panics for any other
// σ. See docs/proofs/samplers.md.
//
// It is Algorithm 3 of Canonne, Kamath and Steinke (2020) with t = σ: a Laplace y of scale σ is
// kept with probability exp(-(|y|-σ)²/2σ²).
func (s *Source) Gaussian(sigma uint64) int64 {
	if sigma-1 >= MaxSigma {
		panic("sample: Gaussian sigma not from 1 to 2^40")
	}
	if sigma > narrowSigma {
		return s.wideGaussian(sigma)
	}
	for {
		y := s.Laplace(sigma)
		d := max(y, -y) - int64(sigma)
		d = max(d, -d)
		if d >= maxBeyond {
			continue
		}
		if s.exp(uint64(d*d), 2*sigma*sigma) {
			return y
		}
	}
}
