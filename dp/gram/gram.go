// Package gram turns released sums of linear records into what linear bandits reckon
// with: the noisy Gram matrix and the noisy vector beside it. It sees nothing but
// releases, so that whatever it does is post-processing and costs no privacy.
//
// It stands beside dp, which knows no matrices, since learners know no releases.
package gram

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/dp"
)

// A Gram is the sums over records of features x and rewards y, with noise that is
// independent in every entry of V on or above the diagonal, and of B. It is not changed
// once it is made.
type Gram struct {
	V     *mat.SymDense // Σ xxᵀ, d×d; noise can make it indefinite
	B     *mat.VecDense // Σ xy
	Noise Variances
}

// Variances are those of the noise in one entry each.
type Variances struct {
	Diagonal float64 // of V, σ²
	Off      float64 // of V off the diagonal, σ²/2: svec has these entries times √2
	B        float64 // σ² of [dp.Linear], σ²/2 of [dp.Corner]
}

// Of reads a release of records of d features, [dp.Linear] or [dp.Corner]. The error wraps
// [dp.ErrShape] where the release has another length.
//
// Of a Corner, V and B have the noise of Dubey and Pentland's (2020) Privatizer with the
// symmetric matrix (N+Nᵀ)/2, where the entries of N are independent of deviation σ; with
// (N+Nᵀ)/√2, as they print it, the noise would be √2 too large. See
// docs/proofs/records.md.
func Of(r dp.Release, kind dp.Record, d int) (Gram, error) {
	c := dp.Charge{Record: kind, Dim: d}
	if kind != dp.Linear && kind != dp.Corner || d < 1 || r.Len() != c.Width() {
		return Gram{}, fmt.Errorf("%w: %d numbers of %v records of %d features", dp.ErrShape, r.Len(), kind, d)
	}
	square := r.Spread().Variance()
	g := Gram{mat.NewSymDense(d, nil), mat.NewVecDense(d, nil), Variances{square, square / 2, square}}
	at := 0
	next := func(times float64) float64 {
		at++
		return r.At(at-1) * times
	}
	for i := range d {
		g.V.SetSym(i, i, next(1))
		for j := i + 1; j < d; j++ {
			g.V.SetSym(i, j, next(1/math.Sqrt2))
		}
	}
	times := 1.0
	if kind == dp.Corner {
		times, g.Noise.B = 1/math.Sqrt2, square/2
	}
	for i := range d {
		g.B.SetVec(i, next(times))
	}
	return g, nil
}

// Margin returns a shift that makes V positive semi-definite but with a probability of
// alpha, above 0 and below 1. It follows from what is public of the noise: with
// independent normal entries of svec of deviation σ, the greatest eigenvalue of the noise
// has a mean of at most σ√(2d), and is Lipschitz in svec with constant 1, so that it is
// above σ(√(2d)+√(2·ln(1/alpha))) with a probability of at most alpha.
func (g Gram) Margin(alpha float64) float64 {
	d := float64(g.V.SymmetricDim())
	return math.Sqrt(g.Noise.Diagonal) * (math.Sqrt(2*d) + math.Sqrt(-2*math.Log(alpha)))
}

// Shifted returns g with λ added to the diagonal of V. λ must follow from public things
// alone, such as [Gram.Margin]: one that is made of exact sums tells of them.
func (g Gram) Shifted(lambda float64) Gram {
	v := mat.NewSymDense(g.V.SymmetricDim(), nil)
	v.CopySym(g.V)
	for i := range v.SymmetricDim() {
		v.SetSym(i, i, v.At(i, i)+lambda)
	}
	g.V = v
	return g
}

// Clipped returns g with the eigenvalues of V that are below a least one, 0 or more,
// raised to it: the nearest such matrix in Frobenius norm. ok is false if they were not
// found. Last digits can differ between machines.
func (g Gram) Clipped(least float64) (clipped Gram, ok bool) {
	var e mat.EigenSym
	if !e.Factorize(g.V, true) {
		return g, false
	}
	var q mat.Dense
	e.VectorsTo(&q)
	v := mat.NewSymDense(g.V.SymmetricDim(), nil)
	for i, value := range e.Values(nil) {
		v.SymRankOne(v, max(value, least), q.ColView(i))
	}
	g.V = v
	return g, true
}
