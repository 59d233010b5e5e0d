// Package score computes, for many vectors x at once, what linear bandits choose by: the product
// of x with one vector, and the norm of x by a factor of an inverse matrix.
//
// Results have the same bits on every machine and with every build: sums are taken in one order,
// which [Products] and [Squares] state, of fused or of rounded products as the code says.
// Products are converted to float64 where they must not be fused.
package score

import "math"

// A Triangle is a lower triangular d×d matrix, row by row: d(d+1)/2 numbers.
type Triangle []float64

// NewTriangle returns a matrix of zeros.
func NewTriangle(d int) Triangle { return make(Triangle, d*(d+1)/2) }

// Row returns row i, up to the diagonal.
func (t Triangle) Row(i int) []float64 { return t[i*(i+1)/2:][:i+1] }

// Cholesky replaces t, the lower half of a symmetric d×d matrix, by its factor L: the matrix is L
// Lᵀ. ok is false if the matrix is not positive definite; then t must not be used.
func (t Triangle) Cholesky(d int) (ok bool) {
	for i := range d {
		row := t.Row(i)
		for j := range i + 1 {
			other := t.Row(j)
			sum := row[j]
			for k := range j {
				sum -= float64(row[k] * other[k])
			}
			if j < i {
				row[j] = sum / other[j]
				continue
			}
			if !(sum > 0) { // also NaN
				return false
			}
			row[i] = math.Sqrt(sum)
		}
	}
	return true
}

// Invert replaces t, whose diagonal has no 0, by its inverse.
func (t Triangle) Invert(d int) {
	for i := range d {
		row := t.Row(i)
		last := row[i]
		for j := range i {
			sum := 0.
			for k := j; k < i; k++ {
				sum += float64(row[k] * t[k*(k+1)/2+j])
			}
			row[j] = sum // temporarily, for L W; entries before j are not read any more
		}
		for j := range i {
			row[j] = -row[j] / last
		}
		row[i] = 1 / last
	}
}

// AddTransposed adds Wᵀz to x, both of d entries: a normal z becomes one of covariance WᵀW.
func AddTransposed(x []float64, w Triangle, z []float64) {
	for i, f := range z {
		for j, r := range w.Row(i) {
			x[j] += float64(r * f)
		}
	}
}

// Apply writes Wx to dst, which it returns.
func Apply(dst []float64, w Triangle, x []float64) []float64 {
	for i := range dst {
		dst[i] = 0
		for j, r := range w.Row(i) {
			dst[i] += float64(r * x[j])
		}
	}
	return dst
}
