package gram

import (
	"gonum.org/v1/gonum/mat"

	"peerd.dev/bandit/score"
)

// A Likelihood is what a Gram says about the parameter θ of rewards ⟨x, θ⟩: up to a factor, the density of
// a normal vector with a precision matrix, which has the eigenvectors of V and may be singular.
type Likelihood struct {
	precision  []float64   // by eigenvector
	vector     []float64   // precision times the most likely θ, along each of them
	directions [][]float64 // the eigenvectors
}

// Likelihood returns it, where of returns, for an eigenvalue of V, the variance of the error of B along
// its eigenvector; 0 means that nothing is known there. Eigenvalues below 0 count as 0. ok is false if the eigenvectors were not found.
func (g Gram) Likelihood(of func(eigenvalue float64) (variance float64)) (l Likelihood, ok bool) {
	var eigen mat.EigenSym
	if !eigen.Factorize(g.V, true) {
		return l, false
	}
	var q mat.Dense
	eigen.VectorsTo(&q)
	d := g.V.SymmetricDim()
	for k, value := range eigen.Values(nil) {
		value = max(0, value)
		along, direction := 0., make([]float64, d)
		for i := range d {
			direction[i] = q.At(i, k)
			along += direction[i] * g.B.AtVec(i)
		}
		precision, vector := 0., 0.
		if r := of(value); r > 0 {
			precision, vector = value*value/r, value*along/r
		}
		l.precision, l.vector, l.directions = append(l.precision, precision), append(l.vector, vector), append(l.directions, direction)
	}
	return l, true
}

// AddTo adds the precision to p, and the precision times the most likely θ to h. Along each eigenvector it
// adds a share, which depends on the precision there.
func (l *Likelihood) AddTo(p score.Triangle, h []float64, share func(precision float64) float64) {
	for k, x := range l.directions {
		by := share(l.precision[k])
		a, v := by*l.precision[k], by*l.vector[k]
		for i, y := range x {
			h[i] += float64(v * y)
			row := p.Row(i)
			for j := range row {
				row[j] += float64(a * y * x[j])
			}
		}
	}
}

// Share returns the part of the trace of the precision that is left with a share of each eigenvalue.
func (l *Likelihood) Share(share func(precision float64) float64) float64 {
	left, all := 0., 0.
	for _, a := range l.precision {
		left += a * share(a)
		all += a
	}
	if all == 0 {
		return 0
	}
	return left / all
}
