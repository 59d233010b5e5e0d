package bandit

import "peerd.dev/bandit/score"

// parameters are a normal vector θ, by its precision.
type parameters struct {
	d     int
	theta []float64
	half  score.Triangle // W with P⁻¹ = WᵀW
	sum   []float64      // P θ; scratch
	z     []float64      // scratch
	whole score.Triangle // P; scratch
}

// roundoff is by how much an entry of a matrix can be off, relative to it.
const roundoff = 0x1p-52

func newParameters(d int) parameters {
	return parameters{d: d, theta: make([]float64, d), half: score.NewTriangle(d), sum: make([]float64, d), z: make([]float64, d)}
}

// begin sets P to the prior of [aware] and P θ to 0.
func (p *parameters) begin() {
	clear(p.half)
	clear(p.sum)
	for i := range p.d {
		p.half.Row(i)[i] = float64(p.d)
	}
}

// solve computes θ and W of P, which is in half, and P θ. If the sums of a site are so great that the prior is lost in
// rounding, which takes a lie, the diagonal grows until there is a factor.
func (p *parameters) solve() {
	p.whole = append(p.whole[:0], p.half...)
	for more := roundoff; !p.half.Cholesky(p.d); more *= 16 {
		copy(p.half, p.whole)
		for i := range p.d {
			p.half.Row(i)[i] *= 1 + more
		}
	}
	p.half.Invert(p.d)
	clear(p.theta)
	score.AddTransposed(p.theta, p.half, score.Apply(p.z, p.half, p.sum))
}
