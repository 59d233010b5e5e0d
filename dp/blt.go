package dp

import "peerd.dev/dp/factor"

// blt is a buffered linear Toeplitz factorization ([factor.BLT]) with Gaussian noise.
// Closing leaf t draws y_t = (C·x)_t + z_t, rounded to the grid; the running sum is
// (B·y)_t. Both need one buffer a number for every θ. See docs/proofs/blt.md.
type blt struct {
	intake
	theta, omega []uint64         // of the buffers, in units of 2^-64
	variance     factor.Inverse   // of the sums
	exact        [][]factor.Fixed // a buffer's Σ θ^(t-i)·x_i, by entry; private
	noisy        [][]factor.Fixed // the same of decoded leaves
	sum          []factor.Fixed   // of decoded leaves
}

func newBLT(n intake, c *Charge) running {
	b := factor.BLTFor(c.Leaves)
	s := &blt{intake: n, variance: b.Inverse(), sum: make([]factor.Fixed, n.width)}
	for _, x := range b {
		theta, omega := x.Factor()
		s.theta, s.omega = append(s.theta, theta), append(s.omega, omega)
		s.exact = append(s.exact, make([]factor.Fixed, n.width))
		s.noisy = append(s.noisy, make([]factor.Fixed, n.width))
	}
	return s
}

func bltL2(n uint64) float64 { return factor.BLTFor(n).Column(n).Float() }

func bltSum(charged Noise, n, t uint64) Noise {
	return charged.times(factor.BLTFor(n).Inverse().Variance(t))
}

func (s *blt) draws() int { return s.width }

func (s *blt) close(src *Source, given []int64, out *Leaf) {
	w := s.width
	y, sum := s.arena.values.take(w), s.arena.values.take(w)
	s.take(y)
	for i := range w {
		x := factor.Whole(y[i])
		encoded := x
		for j, m := range s.exact {
			encoded = encoded.Plus(m[i].Times(s.omega[j]))
			m[i] = m[i].Times(s.theta[j]).Plus(x)
		}
		if given != nil {
			y[i] = given[i]
		} else {
			y[i] = encoded.Round() + s.draw(src, s.noise.Scale)
		}
		x = factor.Whole(y[i])
		for j, b := range s.noisy {
			x = x.Minus(b[i].Times(s.omega[j]))
		}
		for j, b := range s.noisy {
			b[i] = b[i].Times(s.theta[j]).Plus(x)
		}
		s.sum[i] = s.sum[i].Plus(x)
		sum[i] = s.sum[i].Round()
	}
	s.out(y, sum, s.noise.times(s.variance.Variance(s.t)), out)
}

func (s *blt) append(b []byte) []byte {
	for j := range s.exact {
		b = appendFixed(appendFixed(b, s.exact[j]), s.noisy[j])
	}
	return appendFixed(b, s.sum)
}

func (s *blt) read(r *reader, _ *Charge) {
	for j := range s.exact {
		r.fixed(s.exact[j])
		r.fixed(s.noisy[j])
	}
	r.fixed(s.sum)
}
