// Package averages has what protocols of the laboratory make of releases: means and pools of them, and the states of peers
// that mix them. All of it is made of releases alone, so it may leave.
package averages

import (
	"math/bits"

	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
)

// MeanExponent is the lattice of sample means: 2^-32, finer than the grid, so that rounding a
// mean down to it loses at most 2.4e-10.
const MeanExponent = -32

// meanOf returns the fields of sum divided by its one count, rounded down to the lattice of
// [MeanExponent]. Its noise scale is rounded up.
func meanOf(sum dp.Release) (mean dp.Fields, err error) {
	if sum.Counts() != 1 || sum.Count(0) == 0 || sum.Exponent() < MeanExponent || sum.Exponent() > MeanExponent+63 {
		return mean, dp.ErrShape
	}
	n := sum.Count(0)
	shift := uint(sum.Exponent() - MeanExponent)
	mean = sum.Fields()
	for i, x := range mean.Value {
		m, ok := floorShiftDiv(x, shift, n)
		if !ok {
			return mean, dp.ErrOverflow
		}
		mean.Value[i] = m
	}
	hi, lo := bits.Mul64(mean.Noise.Scale, 1<<shift)
	if hi != 0 {
		return mean, dp.ErrOverflow
	}
	mean.Exponent, mean.Noise.Scale = MeanExponent, lo/n
	if lo%n != 0 {
		mean.Noise.Scale++
	}
	return mean, nil
}

// within reports whether a release can have a value.
func within(x int64) bool { return -dp.MaxValue <= x && x <= dp.MaxValue }

// made returns the release with fields, unless they come with an error.
func made(f dp.Fields, err error) (r dp.Release, _ error) {
	if err == nil {
		dp.Remake(vouch.For(&r), f)
	}
	return r, err
}

// floorShiftDiv returns ⌊x·2^shift/n⌋ and whether it is within ±[dp.MaxValue].
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
	if q > dp.MaxValue {
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
