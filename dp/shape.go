package dp

import (
	"fmt"
	"math"
)

// Shape is the form of a stream's records, which determines how far one can move a sum.
type Shape uint8

// The kinds of records.
const (
	// Box is a vector whose entries are clipped to [Lo, Hi] one by one.
	Box Shape = iota
	// Linear is the records of linear bandits. Features x are scaled down to norm 1 if they are
	// longer, and a reward y is clipped to [Lo, Hi] within [-1, 1]. It adds the symmetric matrix
	// xxᵀ as svec, row by row from the diagonal on with everything off it times √2, followed by
	// xy. A stream takes x followed by y.
	Linear
	// Corner is Linear followed by y²: all of the matrix [x y]ᵀ[x y], as Dubey and Pentland
	// (2020) release it, with xy times √2. Nothing needs y².
	Corner
	// Counted hides the number of records. For one number y clipped to [Lo, Hi] it adds y - Lo
	// and Hi - y, together Hi - Lo for every record: the two sums add up to a noised count.
	// Releases of such streams have no counts. See docs/proofs/counts.md.
	Counted
)

// String returns the name of the kind.
func (k Shape) String() string {
	switch k {
	case Box:
		return "box"
	case Linear:
		return "linear"
	case Corner:
		return "corner"
	case Counted:
		return "counted"
	}
	return fmt.Sprintf("Shape(%d)", uint8(k))
}

// numbers returns the length of a record as it is added, with dim entries or features.
func (k Shape) numbers(dim int) int {
	if k == Box || k == Counted {
		return dim
	}
	return dim + 1
}

// width returns how many numbers a record adds to the sums.
func (k Shape) width(dim int) int {
	switch k {
	case Box:
	case Linear:
		return dim*(dim+1)/2 + dim
	case Corner:
		return (dim + 1) * (dim + 2) / 2
	case Counted:
		return 2 * dim
	}
	return dim
}

// linear reports whether records have features.
func (k Shape) linear() bool { return k == Linear || k == Corner }

// counts returns the number of counts in a release.
func (k Shape) counts() int {
	if k == Counted {
		return 0
	}
	return 1
}

// Quantize writes what the record x adds to the sums, on the grid and rounded toward zero, or
// refuses it.
func (k Shape) Quantize(to []int64, x []float64, lo, hi float64) error {
	if k == Box {
		for i := range x {
			q, err := Quantize(x[i], lo, hi)
			if err != nil {
				return fmt.Errorf("entry %d: %w", i, err)
			}
			to[i] = q
		}
		return nil
	}
	if k == Counted {
		q, err := Quantize(x[0], lo, hi)
		to[0], to[1] = q-int64(lo/unit(GridExponent)), int64(hi/unit(GridExponent))-q
		return err
	}
	most := 0.0
	for i, f := range x {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("entry %d: %w", i, ErrNotFinite)
		}
		if i < len(x)-1 {
			most = max(most, math.Abs(f))
		}
	}
	d := len(x) - 1
	var few [32]float64
	z := few[:]
	if d >= len(few) {
		z = make([]float64, d+1)
	}
	z[d] = min(max(x[d], lo), hi)
	if most > 0 {
		sum := 0.0
		for i, f := range x[:d] {
			z[i] = f / most // no square overflows
			sum += float64(z[i] * z[i])
		}
		// A few units in the last place less, since the norm is rounded as well.
		scale := min(most, (1-0x1p-40)/math.Sqrt(sum))
		for i := range d {
			z[i] *= scale
		}
	}
	at := 0
	put := func(v float64) {
		to[at] = int64(v * (1 << -GridExponent))
		at++
	}
	for i := range d {
		put(z[i] * z[i])
		for j := i + 1; j < d; j++ {
			put(math.Sqrt2 * z[i] * z[j] * (1 - 0x1p-50))
		}
	}
	off := 1.0
	if k == Corner {
		off = math.Sqrt2 * (1 - 0x1p-50)
	}
	for i := range d {
		put(off * z[i] * z[d])
	}
	if k == Corner {
		put(z[d] * z[d])
	}
	return nil
}

// beyond reports whether a record has a number outside of its bounds, or features longer than 1
// by more than rounding adds.
func (k Shape) beyond(x []float64, lo, hi float64) bool {
	square := 0.
	for i, v := range x {
		if k.linear() && i < len(x)-1 {
			square += v * v
		} else if v < lo || v > hi {
			return true
		}
	}
	return square > 1+0x1p-30
}
