package dp

import (
	"fmt"
	"math"

	"peerd.dev/dp/mechanism"
)

// Shape is the form of a stream's records, which determines how far one can move a sum.
type Shape uint8

// The kinds of records.
const (
	// Box is a vector whose entries are clipped to [Lo, Hi] one by one.
	Box Shape = iota
	// Linear is the records of linear bandits: for features x, scaled down to norm 1 if they are
	// longer, and a reward y clipped to [Lo, Hi] within [-1, 1], it adds the symmetric matrix xxᵀ
	// as svec, row by row from the diagonal on with everything off it times √2, followed by xy. A
	// stream takes x followed by y.
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

// quantize writes what the record x adds to the sums, on the grid and rounded toward zero, or
// refuses it.
func (k Shape) quantize(to []int64, x []float64, lo, hi float64) error {
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

// Adjacency says how neighbouring histories differ.
type Adjacency uint8

// The adjacencies.
const (
	// ReplaceOne replaces all records of one user by others.
	ReplaceOne Adjacency = iota
	// ZeroOut replaces all records of one user by records that add nothing. Compared with
	// replacement, it is worth half: ε doubles, and so does μ.
	ZeroOut
	// AddOrRemove omits all records of one user, so that there are fewer. It is for Counted
	// records, whose number is not visible.
	AddOrRemove
)

// String returns the name that configurations use.
func (a Adjacency) String() string {
	switch a {
	case ReplaceOne:
		return "replace-one"
	case ZeroOut:
		return "zero-out"
	case AddOrRemove:
		return "add-or-remove"
	}
	return fmt.Sprintf("Adjacency(%d)", uint8(a))
}

// Change returns by how much neighbours differ in one number of a Box, in grid units, or in both
// sums of a Counted record together.
func (c *Charge) Change() uint64 {
	if c.Adjacency == ZeroOut {
		return uint64(max(c.Hi, -c.Hi, c.Lo, -c.Lo))
	}
	return uint64(c.Hi - c.Lo)
}

// EntryBounds returns the bounds of entry i of what a record adds to the sums.
func (c *Charge) EntryBounds(i int) (lo, hi float64) {
	lo, hi = c.Bounds()
	switch most := max(-lo, hi); {
	case c.Shape == Box:
		return lo, hi
	case c.Shape == Counted:
		return 0, hi - lo
	case i >= c.Dim*(c.Dim+1)/2+c.Dim: // y²
		return 0, most * most
	case i >= c.Dim*(c.Dim+1)/2: // xy
		if c.Shape == Corner {
			most *= math.Sqrt2
		}
		return -most, most
	}
	for row := c.Dim; row > 0 && i > 0; row-- {
		i -= row
	}
	if i == 0 { // on the diagonal
		return 0, 1
	}
	return -math.Sqrt2 / 2, math.Sqrt2 / 2
}

// l2 bounds the L2 norm of the difference of neighbours through one record, in grid units. The
// squares for Linear and Corner are 2 and 4 under ZeroOut. Under ReplaceOne they are 4.5, reached
// at x·x′ = -1/2 and yy′ = 1, where (x·x′)² + yy′(x·x′) is least, and 8, reached if the vectors
// [x y] are orthogonal. Rounding toward zero moves every entry of either record by less than one
// unit, in either direction.
func (c *Charge) l2() float64 {
	width := float64(c.Width())
	if c.Shape == Counted { // if y is Lo or Hi, one sum gets all of it; nothing is rounded
		return float64(c.Change())
	}
	if c.Shape == Box {
		return float64(c.Change()) * math.Sqrt(width) * (1 + 0x1p-50)
	}
	square := map[Shape][2]float64{Linear: {4.5, 2}, Corner: {8, 4}}[c.Shape][bugAdjacency(c.Adjacency)]
	return (math.Sqrt(square)*(1<<-GridExponent) + math.Sqrt(width)) * (1 + 0x1p-49)
}

// charged returns the part of the charge that mechanisms get.
func (c *Charge) charged() mechanism.Charged {
	of := mechanism.Charged{Lo: c.Lo, Hi: c.Hi, Noisy: c.Scale != 0}
	switch c.Shape {
	case Box:
	case Counted:
		of.Lo, of.Hi = 0, c.Hi-c.Lo
	case Linear, Corner:
		of.Lo, of.Hi = -2<<-GridExponent, 2<<-GridExponent
	}
	return of
}
