package dp

import (
	"errors"
	"fmt"
	"math"
)

// GridExponent is the lattice of records and their sums: multiples of 2^-20.
const GridExponent = -20

// maxClip bounds clipping bounds, so that every value fits ±2^60.
const maxClip = 1 << 40

// ErrNotFinite is returned for a number that is NaN or infinite.
var ErrNotFinite = errors.New("dp: not a finite number")

// Quantize clips x to [lo, hi], rounds it toward zero to the grid and returns it in units of
// 2^[GridExponent]. Rounding toward zero keeps every norm bound. The result is monotone in x, so
// two results differ by at most Quantize(hi) - Quantize(lo). It refuses a NaN or infinite x, and
// bounds that are not lo ≤ hi within ±2^40. Whether it clipped is private, so it does not report
// it; see [Curator.Clipped].
func Quantize(x, lo, hi float64) (int64, error) {
	if !(-maxClip <= lo && lo <= hi && hi <= maxClip) {
		return 0, fmt.Errorf("dp: clip bounds %v to %v, want lo ≤ hi within ±2^40", lo, hi)
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, ErrNotFinite
	}
	x = min(max(x, lo), hi)
	return int64(x * (1 << -GridExponent)), nil // the product is exact
}

func within(x int64) bool { return -MaxValue <= x && x <= MaxValue }
