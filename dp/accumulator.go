package dp

import (
	"fmt"
	"math"

	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/state"
)

// accumulator receives the records of one stream: it clips them, rounds them to the grid and adds
// them up until the leaf closes.
type accumulator struct {
	id      StreamID
	shape   Shape
	dim     int     // of a record as it is added
	width   int     // of the sums
	lo, hi  float64 // clipping bounds, on the grid
	horizon uint64  // leaves that can close
	t       uint64  // leaves closed or abandoned
	total   uint64  // records in closed leaves
	open    uint64  // records in the open leaf
	clipped uint64  // records that were out of bounds since the accumulator was made; private
	leaf    []int64 // exact sum of the open leaf; private
	next    []int64 // scratch
}

// newAccumulator returns the accumulator of stream id of a charge, for a number of leaves.
func newAccumulator(id StreamID, c *Charge, horizon uint64) accumulator {
	width := c.Width()
	lo, hi := c.Bounds()
	a := accumulator{
		id: id, shape: c.Shape, dim: c.Dim, width: width, horizon: horizon,
		lo: lo, hi: hi,
		leaf: make([]int64, width),
	}
	if width > 1 {
		a.next = make([]int64, width)
	}
	return a
}

// add adds a record to the open leaf, or refuses it and changes nothing.
func (a *accumulator) add(x []float64) error {
	if a.total+a.open >= maxRecords {
		return ErrOverflow
	}
	if want := a.shape.numbers(a.dim); len(x) != want {
		return fmt.Errorf("%w: a record of %d numbers for stream %d, which takes %d", ErrShape, len(x), a.id, want)
	}
	if a.width == 1 { // the bandit's case: nothing to undo
		q, err := Quantize(x[0], a.lo, a.hi)
		if err != nil {
			return err
		}
		a.leaf[0] += q
		a.taken(x)
		return nil
	}
	if err := a.shape.Quantize(a.next, x, a.lo, a.hi); err != nil {
		return err
	}
	for i, q := range a.next {
		a.leaf[i] += q
	}
	a.taken(x)
	return nil
}

// taken counts the record x.
func (a *accumulator) taken(x []float64) {
	a.open++
	if a.shape.beyond(x, a.lo, a.hi) {
		a.clipped++
	}
}

// countLeaf makes the open leaf number t, with its records counted in total. Its sum and its
// number of records stay until clearLeaf.
func (a *accumulator) countLeaf() {
	a.total += a.open
	a.t++
}

// clearLeaf begins a leaf without records.
func (a *accumulator) clearLeaf() {
	clear(a.leaf)
	a.open = 0
}

// now returns the open leaf for the mechanism.
func (a *accumulator) now() mechanism.Leaf {
	return mechanism.Leaf{T: a.t, Horizon: a.horizon, Sums: a.leaf, Records: a.open, Total: a.total}
}

// fields visits the open leaf of a stream of a charge, in a new accumulator when loading.
func (a *accumulator) fields(v *state.Visitor, of mechanism.Charged) {
	v.Uint(&a.t)
	v.Uint(&a.total)
	v.Uint(&a.open)
	v.Vector(a.leaf, math.MaxInt64)
	v.Check(a.t <= a.horizon, "%d leaves closed of %d", a.t, a.horizon)
	v.Check(a.total <= maxRecords && a.open <= maxRecords-a.total, "%d records in closed leaves and %d in the open one", a.total, a.open)
	v.Check(of.Holds(a.leaf, a.open), "sums that no %d records have", a.open)
}
