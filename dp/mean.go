package dp

import "math/bits"

// MeanExponent is the lattice of sample means: 2^-32, finer than the grid, so that rounding a
// mean down to it loses at most 2.4e-10.
const MeanExponent = -32

// Mean returns sum divided by its one count, rounded down to the lattice of
// [MeanExponent]. Its noise scale is rounded up.
func Mean(sum Release) (Release, error) {
	if len(sum.count) != 1 || sum.count[0] == 0 || sum.e < MeanExponent || sum.e > MeanExponent+63 {
		return Release{}, ErrShape
	}
	n := sum.count[0]
	shift := uint(sum.e - MeanExponent)
	v := make([]int64, len(sum.v))
	for i, x := range sum.v {
		m, ok := floorShiftDiv(x, shift, n)
		if !ok {
			return Release{}, ErrOverflow
		}
		v[i] = m
	}
	hi, lo := bits.Mul64(sum.noise.Scale, 1<<shift)
	if hi != 0 {
		return Release{}, ErrOverflow
	}
	scale := lo / n
	if lo%n != 0 {
		scale++
	}
	noise := sum.noise
	noise.Scale = scale
	return Release{sum.stream, sum.span, sum.count, v, MeanExponent, noise}, nil
}

// floorShiftDiv returns ⌊x·2^shift/n⌋ and whether it is within ±MaxValue.
func floorShiftDiv(x int64, shift uint, n uint64) (int64, bool) {
	a := uint64(x)
	if x < 0 {
		a = -a
	}
	hi, lo := bits.Mul64(a, 1<<shift)
	if hi >= n {
		return 0, false
	}
	q, r := bits.Div64(hi, lo, n)
	if q > MaxValue {
		return 0, false
	}
	if x < 0 {
		if r != 0 {
			q++
		}
		return -int64(q), true
	}
	return int64(q), true
}
