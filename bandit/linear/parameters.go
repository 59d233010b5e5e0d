package linear

import (
	"math"

	"peerd.dev/bandit/gram"
	"peerd.dev/bandit/score"
)

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

// factor replaces P, which is in half, by its factor L. If the sums of a site are so great that the prior is lost in
// rounding, which takes a lie, the diagonal grows until there is one.
func (p *parameters) factor() {
	p.whole = append(p.whole[:0], p.half...)
	for more := roundoff; !p.half.Cholesky(p.d); more *= 16 {
		copy(p.half, p.whole)
		for i := range p.d {
			p.half.Row(i)[i] *= 1 + more
		}
	}
}

// solve computes θ and W of P, which is in half, and P θ.
func (p *parameters) solve() {
	p.factor()
	p.half.Invert(p.d)
	clear(p.theta)
	score.AddTransposed(p.theta, p.half, score.Apply(p.z, p.half, p.sum))
}

// log returns the logarithm of the determinant of P, after solve.
func (p *parameters) log() (sum float64) {
	for i := range p.d {
		sum -= 2 * math.Log(p.half.Row(i)[i])
	}
	return sum
}

// mass returns the logarithm of the integral of exp(hᵀx - xᵀPx/2) over x, where h is P θ, after solve, up to a constant that
// depends on d only. Added records change it by the logarithm of their likelihood.
func (p *parameters) mass() float64 {
	square := 0.
	for i, v := range p.theta {
		square += float64(v * p.sum[i])
	}
	return (square - p.log()) / 2
}

// massOf returns what mass does, of P in half and P θ in sum, and leaves L in half: it takes a third of the time of solve.
func (p *parameters) massOf() float64 {
	p.factor()
	square, log := 0., 0.
	for i, v := range p.sum {
		row := p.half.Row(i)
		for j, l := range row[:i] {
			v -= float64(l * p.z[j])
		}
		p.z[i] = v / row[i]
		square += float64(p.z[i] * p.z[i])
		log += math.Log(row[i])
	}
	return square/2 - log
}

// information is what records say of θ: a precision, and the precision times the most likely θ. Nothing is known if it is empty.
type information struct {
	precision score.Triangle
	vector    []float64
}

// take sets i to a share of a likelihood of d numbers.
func (i *information) take(l *gram.Likelihood, d int, share func(precision float64) float64) {
	i.precision, i.vector = append(i.precision[:0], make(score.Triangle, d*(d+1)/2)...), append(i.vector[:0], make([]float64, d)...)
	l.AddTo(i.precision, i.vector, share)
}

// addTo adds the records to parameters whose P is in half.
func (i *information) addTo(p *parameters) {
	for k, x := range i.precision {
		p.half[k] += x
	}
	for k, x := range i.vector {
		p.sum[k] += x
	}
}
