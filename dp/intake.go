package dp

import (
	"encoding/binary"
	"fmt"
)

// intake is where the records of one stream come in: it clips them, puts them on the
// grid and adds them up until the leaf closes.
type intake struct {
	bug    bug
	id     StreamID
	record Record
	dim    int     // of a record as it comes
	width  int     // of the sums
	lo, hi float64 // clipping bounds, on the grid
	leaves uint64  // horizon
	noise  Noise   // one term of the charged noise; none without
	t      uint64  // leaves closed or given up
	total  uint64  // records in closed leaves
	open   uint64  // records in the open leaf
	leaf   []int64 // exact sum of the open leaf; private
	next   []int64 // scratch
	arena   *arena
}

// newIntake returns that of stream id of a charge.
func newIntake(id StreamID, c *Charge, r *arena) intake {
	width := c.Width()
	n := intake{
		id: id, record: c.Record, dim: c.Dim, width: width, leaves: c.Leaves, noise: c.noise(), arena: r,
		lo: float64(c.Lo) * unit(GridExponent), hi: float64(c.Hi) * unit(GridExponent),
		leaf: make([]int64, width),
	}
	if width > 1 {
		n.next = make([]int64, width)
	}
	return n
}

func (n *intake) in() *intake { return n }

func (n *intake) closed() uint64 { return n.t }

func (n *intake) add(x []float64) error {
	if n.total+n.open >= maxRecords {
		return ErrOverflow
	}
	if want := n.record.numbers(n.dim); len(x) != want {
		return fmt.Errorf("%w: a record of %d numbers for stream %d, which takes %d", ErrShape, len(x), n.id, want)
	}
	if n.width == 1 { // the bandit's case: nothing to undo
		q, err := Quantize(x[0], n.lo, n.hi)
		if err != nil {
			return err
		}
		n.leaf[0] += q
		n.open++
		return nil
	}
	if err := n.record.quantize(n.next, x, n.lo, n.hi); err != nil {
		return err
	}
	for i, q := range n.next {
		n.leaf[i] += q
	}
	n.open++
	return nil
}

func (n *intake) due(k uint64) error {
	return n.follows(k, n.t, n.leaves)
}

// follows refuses every leaf k of the stream but the one after those closed, of a number.
func (n *intake) follows(k, closed, leaves uint64) error {
	if closed >= leaves {
		return ErrHorizon
	}
	if k != closed+1 {
		return fmt.Errorf("%w: leaf %d of stream %d, next is %d", ErrLeaf, k, n.id, closed+1)
	}
	return nil
}

// take ends the open leaf: its sum and how many records are in it.
func (n *intake) take(sum []int64) (records uint64) {
	copy(sum, n.leaf)
	n.bug.take(n.leaf)
	clear(n.leaf)
	records = n.open
	n.total += n.open
	n.open = 0
	n.t++
	return records
}

// drop gives up the open leaf.
func (n *intake) drop() {
	clear(n.leaf)
	n.open = 0
}

// draw returns noise of the charged law.
func (n *intake) draw(src *Source, scale uint64) int64 {
	if n.noise.Law == Gaussian {
		return n.bug.noise(n.t, src.Gaussian(scale))
	}
	return n.bug.noise(n.t, src.Laplace(scale))
}

// appendIntake encodes the part of a stream that is common to all.
func (n *intake) appendIntake(b []byte) []byte {
	b = binary.AppendUvarint(b, n.t)
	b = binary.AppendUvarint(b, n.total)
	b = binary.AppendUvarint(b, n.open)
	return n.bug.append(appendInts(b, n.leaf))
}

// readIntake fills a new intake. The reader turns bad where no stream of c can be so.
func (n *intake) readIntake(r *reader, c *Charge) {
	n.t, n.total, n.open = r.uint(), r.uint(), r.uint()
	r.ints(n.leaf)
	n.bug.read(r)
	if n.t > n.leaves || n.total > maxRecords || n.open > maxRecords-n.total || !c.sumsOf(n.leaf, n.open) {
		r.fail()
	}
}

// appendInts encodes numbers, whose number is known.
func appendInts(b []byte, v []int64) []byte {
	for _, x := range v {
		b = binary.AppendVarint(b, x)
	}
	return b
}
