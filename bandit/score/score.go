// Package score computes, for many vectors x at once, what linear bandits choose by: the
// product of x with one vector, and the norm of x by a factor of an inverse matrix. It
// allocates nothing.
package score

import "math"

// A Triangle is a lower triangular d×d matrix, row by row: d(d+1)/2 numbers.
type Triangle []float64

// NewTriangle returns a matrix of zeros.
func NewTriangle(d int) Triangle { return make(Triangle, d*(d+1)/2) }

// Row returns row i, up to the diagonal.
func (t Triangle) Row(i int) []float64 { return t[i*(i+1)/2:][:i+1] }

// Cholesky makes t, which holds the lower half of a symmetric d×d matrix, its factor L: the
// matrix is L Lᵀ. ok is false if it is not positive definite; t is of no use then.
func (t Triangle) Cholesky(d int) (ok bool) {
	for i := range d {
		row := t.Row(i)
		for j := range i + 1 {
			other := t.Row(j)
			sum := row[j]
			for k := range j {
				sum -= row[k] * other[k]
			}
			if j < i {
				row[j] = sum / other[j]
				continue
			}
			if !(sum > 0) { // NaN included
				return false
			}
			row[i] = math.Sqrt(sum)
		}
	}
	return true
}

// Invert makes t, whose diagonal has no 0, its inverse.
func (t Triangle) Invert(d int) {
	for i := range d {
		row := t.Row(i)
		last := row[i]
		for j := range i {
			sum := 0.
			for k := j; k < i; k++ {
				sum += row[k] * t[k*(k+1)/2+j]
			}
			row[j] = sum // for the time being, of L W; entries before j are read no more
		}
		for j := range i {
			row[j] = -row[j] / last
		}
		row[i] = 1 / last
	}
}

// Products writes ⟨x, θ⟩ for every x of xs to dst, which has as many entries.
func Products[V ~[]float64](dst, theta []float64, xs []V) {
	d := len(theta)
	dst = dst[:len(xs)]
	for i, x := range xs {
		x = x[:d]
		var a, b float64
		k := 0
		for ; k+1 < d; k += 2 {
			a += x[k] * theta[k]
			b += x[k+1] * theta[k+1]
		}
		if k < d {
			a += x[k] * theta[k]
		}
		dst[i] = a + b
	}
}

// Squares writes |W x|² for every x of xs, of d entries, to dst, which has as many. Four
// vectors are taken at a time, so that their sums do not wait for each other.
func Squares[V ~[]float64](dst []float64, w Triangle, d int, xs []V) {
	dst = dst[:len(xs)]
	n := 0
	for ; n+4 <= len(xs); n += 4 {
		var sa, sb, sc, se float64
		for i := range d {
			row := w.Row(i)
			a, b, c, e := xs[n][:len(row)], xs[n+1][:len(row)], xs[n+2][:len(row)], xs[n+3][:len(row)]
			var fa, fb, fc, fe float64
			for j, r := range row {
				fa += r * a[j]
				fb += r * b[j]
				fc += r * c[j]
				fe += r * e[j]
			}
			sa, sb, sc, se = sa+fa*fa, sb+fb*fb, sc+fc*fc, se+fe*fe
		}
		dst[n], dst[n+1], dst[n+2], dst[n+3] = sa, sb, sc, se
	}
	for ; n < len(xs); n++ {
		x := xs[n][:d]
		sum := 0.
		for i := range d {
			f := 0.
			for j, r := range w.Row(i) {
				f += r * x[j]
			}
			sum += f * f
		}
		dst[n] = sum
	}
}

// AddTransposed adds Wᵀz to x, both of d entries: a normal z becomes one of covariance WᵀW.
func AddTransposed(x []float64, w Triangle, z []float64) {
	for i, f := range z {
		for j, r := range w.Row(i) {
			x[j] += r * f
		}
	}
}
