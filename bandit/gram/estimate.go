package gram

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/bandit/score"
)

// An Estimate is what a Gram implies about the parameter θ of rewards ⟨x, θ⟩.
type Estimate struct {
	Theta  []float64
	Half   score.Triangle // W with P⁻¹ = WᵀW, where P is the precision of Theta
	Reach  float64        // the greatest |Wx| of x of norm 1, up to rounding
	Raised int            // number of eigenvalues of V below 0, which only noise can cause
}

// Estimate returns Q·diag(gain)·Qᵀ·B with the precision P = Q·diag(precision)·Qᵀ, where Q has the
// eigenvectors of V, and of returns the gain and precision of one, given its eigenvalue and its
// product with B. ok is false if the eigenvectors were not found, or a precision is not above 0.
// The last digits depend only on the processor's family, like gonum's.
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
	return e, true
}
