package running

import (
	"peerd.dev/dp/factor"
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/noise"
	"peerd.dev/dp/state"
)

// bltLayout is the layout of a [blt] over n leaves.
type bltLayout struct {
	n        uint64
	variance factor.Inverse // of the sums; computed when the first is needed
}

func newBLTLayout(n uint64) mechanism.Layout { return &bltLayout{n: n} }

// Node covers all leaves up to t.
func (*bltLayout) Node(charged noise.Noise, t uint64) mechanism.Node {
	return mechanism.Node{Span: mechanism.Span{From: 0, To: t}, Noise: charged}
}

func (l *bltLayout) Sum(charged noise.Noise, t uint64) noise.Noise {
	if l.variance == nil {
		l.variance = factor.BLTFor(l.n).Inverse()
	}
	return charged.Times(l.variance.Variance(t))
}

func (l *bltLayout) Open(width int) mechanism.Stream {
	s := &blt{sum: make([]factor.Fixed, width)}
	for _, x := range factor.BLTFor(l.n) {
		theta, omega := x.Factor()
		s.theta, s.omega = append(s.theta, theta), append(s.omega, omega)
		s.exact = append(s.exact, make([]factor.Fixed, width))
		s.noisy = append(s.noisy, make([]factor.Fixed, width))
	}
	return s
}

func bltL2(n uint64) float64 { return factor.BLTFor(n).Column(n).Float() }

// blt is a buffered linear Toeplitz factorization ([factor.BLT]) with Gaussian noise. Closing
// leaf t draws y_t = (C·x)_t + z_t, rounded to the grid; the running sum is (B·y)_t. For each
// number, both need one buffer for every θ. See docs/proofs/blt.md.
type blt struct {
	theta, omega []uint64         // of the buffers, in units of 2^-64
	exact        [][]factor.Fixed // a buffer's Σ θ^(t-i)·x_i, by entry; private
	noisy        [][]factor.Fixed // the same for decoded leaves
	sum          []factor.Fixed   // of decoded leaves
}

func (s *blt) Close(a mechanism.Leaf, d mechanism.Drawer, node, sum []int64) (uint64, error) {
	for i, exact := range a.Sums {
		x := factor.Whole(exact)
		encoded := x
		for j, m := range s.exact {
			encoded = encoded.Plus(m[i].Times(s.omega[j]))
			m[i] = m[i].Times(s.theta[j]).Plus(x)
		}
		node[i] = d.Noisy(i, encoded.Round())
		x = factor.Whole(node[i])
		for j, b := range s.noisy {
			x = x.Minus(b[i].Times(s.omega[j]))
		}
		for j, b := range s.noisy {
			b[i] = b[i].Times(s.theta[j]).Plus(x)
		}
		s.sum[i] = s.sum[i].Plus(x)
		sum[i] = s.sum[i].Round()
	}
	return a.Total, nil
}

func (s *blt) Fields(v *state.Visitor, _ mechanism.Leaf, _ mechanism.Charged) {
	for j := range s.exact {
		fixed(v, s.exact[j])
		fixed(v, s.noisy[j])
	}
	fixed(v, s.sum)
}
