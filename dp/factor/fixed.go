package factor

import "math/bits"

// Fixed is a number of 128 bits, 64 of them after the point, from -2^63 to below 2^63. Sums and
// differences are exact; the caller must keep them in range.
type Fixed struct {
	hi int64
	lo uint64
}

// Whole returns x.
func Whole(x int64) Fixed { return Fixed{hi: x} }

// Share returns x·w/2^64, exactly.
func Share(x int64, w uint64) Fixed {
	hi, lo := bits.Mul64(uint64(x), w)
	if x < 0 {
		hi -= w
	}
	return Fixed{int64(hi), lo}
}

// Plus returns a + b.
func (a Fixed) Plus(b Fixed) Fixed {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return Fixed{a.hi + b.hi + int64(carry), lo}
}

// Minus returns a - b.
func (a Fixed) Minus(b Fixed) Fixed {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return Fixed{a.hi - b.hi - int64(borrow), lo}
}

// Times returns a·w/2^64, rounded down to 64 bits after the point.
func (a Fixed) Times(w uint64) Fixed {
	below, _ := bits.Mul64(a.lo, w)
	return Share(a.hi, w).Plus(Fixed{lo: below})
}

// Round returns the nearest integer, and rounds halves up.
func (a Fixed) Round() int64 { return a.hi + int64(a.lo>>63) }

// Words returns a as hi·2^64 + lo, for saved states; [FixedOf] is its inverse.
func (a Fixed) Words() (hi int64, lo uint64) { return a.hi, a.lo }

// FixedOf returns hi + lo/2^64.
func FixedOf(hi int64, lo uint64) Fixed { return Fixed{hi, lo} }
