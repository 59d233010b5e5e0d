package dp

import (
	"fmt"
	"math/bits"
)

// tree is the binary mechanism of one stream (Chan, Shi and Song 2011,
// Algorithm 2). Closing leaf t completes exactly one node, the one of level
// z = (trailing zeros of t) over leaves t-2^z+1 … t; it gets its own noise, once.
// The running sum is the sum of the newest noisy nodes at the set bits of t.
type tree struct {
	id     StreamID
	dim    int
	lo, hi float64 // clipping bounds, on the grid
	leaves uint64  // horizon
	scale  uint64  // of the noise in every node, in grid units; 0 for none
	t      uint64  // leaves closed or given up

	n     []uint64 // records under the node that each level keeps; entry 0 of the open leaf is open
	open  uint64   // records in the open leaf
	alpha []int64  // exact sums, dim entries a level; private
	leaf  []int64  // exact sum of the open leaf; private
	node  []int64  // noisy nodes, dim entries a level
	sum   []int64  // noisy running sum
	total uint64   // records under the running sum

	room *room
}

// newTree returns stream id of a charge.
func newTree(id StreamID, c Charge, r *room) *tree {
	l := int(levels(c.Leaves))
	return &tree{
		id: id, dim: c.Dim, leaves: c.Leaves, scale: c.Scale, room: r,
		lo: float64(c.Lo) * unit(GridExponent), hi: float64(c.Hi) * unit(GridExponent),
		n:     make([]uint64, l),
		alpha: make([]int64, l*c.Dim),
		leaf:  make([]int64, c.Dim),
		node:  make([]int64, l*c.Dim),
		sum:   make([]int64, c.Dim),
	}
}

func (t *tree) add(x []float64) error {
	if t.total+t.open >= maxRecords {
		return ErrOverflow
	}
	if t.dim == 1 { // the bandit's case: nothing to undo
		q, err := Quantize(x[0], t.lo, t.hi)
		if err != nil {
			return err
		}
		t.leaf[0] += q
		t.open++
		return nil
	}
	next := make([]int64, t.dim)
	for i := range x {
		q, err := Quantize(x[i], t.lo, t.hi)
		if err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
		next[i] = t.leaf[i] + q
	}
	copy(t.leaf, next)
	t.open++
	return nil
}

// due refuses every leaf but the next one.
func (t *tree) due(k uint64) error {
	if t.t >= t.leaves {
		return ErrHorizon
	}
	if k != t.t+1 {
		return fmt.Errorf("%w: leaf %d of stream %d, next is %d", ErrLeaf, k, t.id, t.t+1)
	}
	return nil
}

// close ends the next leaf, which must be due, and writes what that releases. The
// noisy node is drawn from src, or is given where an earlier run drew it.
func (t *tree) close(src *Source, given []int64, out *Leaf) {
	k := t.t + 1
	z := bits.TrailingZeros64(k)
	d := t.dim
	node := t.room.values.take(2 * d)
	sum := node[d : 2*d : 2*d]
	node = node[:d:d]
	for i := range d {
		exact, old := t.leaf[i], bugOld(t, z, i)
		for l := range z {
			exact += t.alpha[l*d+i] // within maxRecords·maxBound·2^20: no overflow
			t.sum[i] -= t.node[l*d+i]
			t.alpha[l*d+i], t.node[l*d+i] = 0, 0
		}
		t.alpha[z*d+i] = exact
		t.leaf[i] = 0
		noisy := exact
		switch {
		case given != nil:
			noisy = given[i]
		case t.scale != 0:
			noisy += bugNoise(k, old, src.Laplace(t.scale))
		}
		node[i] = noisy
		t.node[z*d+i] = noisy
		t.sum[i] += noisy
		sum[i] = t.sum[i]
	}
	n := t.open
	for l := range z {
		n += t.n[l]
		t.n[l] = 0
	}
	t.n[z] = n
	t.total += t.open
	t.open = 0
	t.t = k

	counts := t.room.counts.take(2)
	counts[0], counts[1] = n, t.total
	terms, one := uint32(bits.OnesCount64(k)), uint32(1)
	if t.scale == 0 {
		terms, one = 0, 0
	}
	out.Node = Release{t.id, Span{k - 1<<z, k}, counts[:1:1], node, GridExponent, t.scale, one}
	out.Sum = Release{t.id, Span{0, k}, counts[1:2:2], sum, GridExponent, t.scale, terms}
}
