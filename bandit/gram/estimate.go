package gram

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/bandit/score"
)

// An Estimate is what a Gram says of the parameter θ of rewards ⟨x, θ⟩.
type Estimate struct {
	Theta  []float64
	Half   score.Triangle // W with P⁻¹ = WᵀW, where P says how sure Theta is
	Panels score.Panels   // W, to score by
	Reach  float64        // the greatest |Wx| of x of norm 1, but for rounding
	Raised int            // eigenvalues of V below 0, which noise alone can make
}

// Estimate returns Q·diag(gain)·Qᵀ·B with the certainty P = Q·diag(precision)·Qᵀ, where Q has
// the eigenvectors of V and of says what gain and precision one has, from its eigenvalue and the
// product of it and B. ok is false if
// the eigenvectors were not found, or a precision is not above 0. Last digits
// depend on the processor's family, as those of gonum do, and on nothing else.
func (g Gram) Estimate(of func(eigenvalue, along float64) (gain, precision float64)) (e Estimate, ok bool) {
	var eigen mat.EigenSym
	if !eigen.Factorize(g.V, true) {
		return e, false
	}
	var q mat.Dense
	eigen.VectorsTo(&q)
	d := g.V.SymmetricDim()
	e.Theta, e.Half = make([]float64, d), score.NewTriangle(d)
	for k, value := range eigen.Values(nil) {
		if value < 0 {
			e.Raised++
		}
		along := 0.
		for i := range d {
			along += q.At(i, k) * g.B.AtVec(i)
		}
		gain, precision := of(value, along)
		e.Reach = max(e.Reach, 1/math.Sqrt(precision))
		for i := range d {
			e.Theta[i] += gain * along * q.At(i, k)
			row := e.Half.Row(i)
			for j := range row {
				row[j] += precision * q.At(i, k) * q.At(j, k)
			}
		}
	}
	if !e.Half.Cholesky(d) {
		return Estimate{}, false
	}
	e.Half.Invert(d)
	e.Panels = e.Half.Panels(d)
	return e, true
}
