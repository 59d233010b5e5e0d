package graphs

import "slices"

// A tridiagonal is a symmetric tridiagonal matrix T without negative eigenvalues,
// such as the Lanczos method builds from a Laplacian.
type tridiagonal struct {
	diag []float64 // m entries
	off  []float64 // squares of the m−1 entries next to the diagonal
}

// smallest returns the least eigenvalue of T. It bisects on the sign of the pivots, as Sturm
// sequences do, down to adjacent floats: the eigenvalue may be 1e-8 of the largest, and needs a
// small error relative to itself.
func (t tridiagonal) smallest() float64 {
	lo, hi := 0.0, slices.Min(t.diag) // e_iᵀTe_i is a mean of eigenvalues, so none of these is below the least
	for {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			return lo
		}
		if t.allAbove(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// allAbove reports whether every eigenvalue of T is above x, which holds if and only if
// elimination of T − x meets positive pivots only.
func (t tridiagonal) allAbove(x float64) bool {
	pivot := t.diag[0] - x
	for i, off := range t.off {
		if pivot <= 0 {
			return false
		}
		pivot = t.diag[i+1] - x - off/pivot
	}
	return pivot > 0
}
