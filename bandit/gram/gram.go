// Package gram turns released sums of linear records into what linear bandits compute with: the
// noisy Gram matrix and the noisy vector that belongs to it. It gets the numbers of releases and
// the variance of their noise, so everything that it does is post-processing and costs no
// privacy.
package gram

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Kind is the kind of sums: each record has features x of norm at most 1 and a reward y.
type Kind uint8

// The kinds, as package dp releases them.
const (
	// Linear is the symmetric matrix xxᵀ as svec, row by row from the diagonal on with everything
	// off it times √2, followed by xy: d(d+3)/2 numbers.
	Linear Kind = iota
	// Corner is Linear with xy times √2, followed by y²: (d+1)(d+2)/2 numbers.
	Corner
	// Centred is Linear with 2y-1 for y.
	Centred
)

// len returns the number of sums over records of d features.
func (k Kind) len(d int) int {
	if k == Corner {
		return (d + 1) * (d + 2) / 2
	}
	return d * (d + 3) / 2
}

// ErrShape is returned if the number of sums does not suit the number of features.
var ErrShape = errors.New("gram: sums of another shape")

// A Gram has the sums over records of features x and rewards y, or y-½ for [Centred], with noise
// that is independent in every entry of V on or above the diagonal, and of B. It is immutable.
type Gram struct {
	V     *mat.SymDense // Σ xxᵀ, d×d; noise can make it indefinite
	B     *mat.VecDense // Σ xy
	Noise Variances
}

// Variances are the variances of the noise in one entry each.
type Variances struct {
	Diagonal float64 // of V, σ²
	Off      float64 // of V off the diagonal, σ²/2: svec has these entries times √2
	B        float64 // σ² for [Linear], σ²/2 for [Corner], σ²/4 for [Centred]
}

// Of reads sums over records of d features, with independent noise of variance square in every
// entry. The error wraps [ErrShape] if there are more or fewer of them.
//
// For a Corner, V and B have the noise of Dubey and Pentland's (2020) Privatizer with the
// symmetric matrix (N+Nᵀ)/2, where the entries of N are independent with deviation σ; with
// (N+Nᵀ)/√2, as they print it, the noise would be √2 too large. See docs/proofs/records.md.
func Of(sums []float64, square float64, kind Kind, d int) (Gram, error) {
	if kind > Centred || d < 1 || len(sums) != kind.len(d) {
		return Gram{}, fmt.Errorf("%w: %d numbers of records of %d features", ErrShape, len(sums), d)
	}
	g := Gram{mat.NewSymDense(d, nil), mat.NewVecDense(d, nil), Variances{square, square / 2, square}}
	at := 0
	next := func(times float64) float64 {
		at++
		return sums[at-1] * times
	}
	for i := range d {
		g.V.SetSym(i, i, next(1))
		for j := i + 1; j < d; j++ {
			g.V.SetSym(i, j, next(1/math.Sqrt2))
		}
	}
	times := 1.0
	switch kind {
	case Linear:
	case Corner:
		times, g.Noise.B = 1/math.Sqrt2, square/2
	case Centred:
		times, g.Noise.B = .5, square/4
	}
	for i := range d {
		g.B.SetVec(i, next(times))
	}
	return g, nil
}

// LogDet returns ln det(V₊+shift·I), where V₊ is V with negative eigenvalues raised to 0, and
// shift is above 0. It is NaN if the eigenvalues were not found.
func (g Gram) LogDet(shift float64) (sum float64) {
	var eigen mat.EigenSym
	if !eigen.Factorize(g.V, false) {
		return math.NaN()
	}
	for _, value := range eigen.Values(nil) {
		sum += math.Log(max(0, value) + shift)
	}
	return sum
}

// Margin returns a shift that makes V positive semi-definite except with probability alpha, above
// 0 and below 1. It follows from public properties of the noise; see [edge].
func (g Gram) Margin(alpha float64) float64 {
	return math.Sqrt(g.Noise.Diagonal) * edge(g.V.SymmetricDim(), alpha)
}
