package running

import (
	"math"
	"math/bits"

	"peerd.dev/dp/factor"
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/noise"
	"peerd.dev/dp/state"
)

// treeLayout is the layout of a [tree] over a number of leaves.
type treeLayout struct{ leaves uint64 }

func newTreeLayout(n uint64) mechanism.Layout { return &treeLayout{n} }

// Node is the node that closing leaf t completes.
func (*treeLayout) Node(charged noise.Noise, t uint64) mechanism.Node {
	return mechanism.Node{Span: mechanism.Span{From: t & (t - 1), To: t}, Noise: charged}
}

// Sum counts a term for every node in the t-th sum.
func (*treeLayout) Sum(charged noise.Noise, t uint64) noise.Noise {
	return charged.Times(float64(factor.TreeTerms(t)))
}

func (l *treeLayout) Open(width int) mechanism.Stream {
	levels := factor.TreeLevels(l.leaves)
	return &tree{
		n:     make([]uint64, levels),
		alpha: make([]int64, levels*width),
		node:  make([]int64, levels*width),
		sum:   make([]int64, width),
	}
}

// levels returns the number of nodes of a tree over leaves in which one leaf can be.
func levels(leaves uint64) uint64 { return uint64(factor.TreeLevels(leaves)) }

// levelsSquared returns the squared L2 norm of a vector of that many ones.
func levelsSquared(leaves uint64) float64 { return float64(levels(leaves)) }

// tree is the binary mechanism of one stream (Chan, Shi and Song 2011, Algorithm 2). Closing leaf
// t completes exactly one node, the node of level z = (trailing zeros of t) over leaves t-2^z+1 …
// t; its noise is drawn once. The running sum is the sum of the newest noisy nodes at the set
// bits of t.
type tree struct {
	n     []uint64 // records under the node that each level keeps
	alpha []int64  // exact sums, width entries per level; private
	node  []int64  // noisy nodes, width entries per level
	sum   []int64  // noisy running sum
}

func (t *tree) Close(a mechanism.Leaf, d mechanism.Drawer, node, sum []int64) (uint64, error) {
	z, w := bits.TrailingZeros64(a.T), len(a.Sums)
	for i, exact := range a.Sums {
		for l := range z {
			exact += t.alpha[l*w+i] // within MaxRecords·maxBound·2^20: no overflow
			t.sum[i] -= t.node[l*w+i]
			t.alpha[l*w+i], t.node[l*w+i] = 0, 0
		}
		t.alpha[z*w+i] = exact
		node[i] = d.Noisy(i, exact)
		t.node[z*w+i] = node[i]
		t.sum[i] += node[i]
		sum[i] = t.sum[i]
	}
	return mergeCounts(t.n, z, a.Records), nil
}

// mergeCounts moves the records under the nodes of levels below z and in the open leaf to the
// node of level z, and returns their number.
func mergeCounts(n []uint64, z int, open uint64) uint64 {
	for l := range z {
		open += n[l]
		n[l] = 0
	}
	n[z] = open
	return open
}

// Fields visits the nodes; the running sum follows from them.
func (t *tree) Fields(v *state.Visitor, a mechanism.Leaf, of mechanism.Charged) {
	total := levelRecords(v, t.n)
	v.Vector(t.alpha, math.MaxInt64)
	v.Vector(t.node, mechanism.MaxValue)
	if !v.Loading() {
		return
	}
	w := len(a.Sums)
	ok := total == a.Total
	for l, n := range t.n {
		exact, noisy := t.alpha[l*w:(l+1)*w], t.node[l*w:(l+1)*w]
		ok = ok && of.Holds(exact, n)
		for i, y := range noisy {
			ok = ok && (of.Noisy || y == exact[i])
			t.sum[i] += y
		}
	}
	v.Check(ok, "nodes that no %d records have", a.Total)
}

// levelRecords visits the number of records under each level's node, and returns their total.
func levelRecords(v *state.Visitor, n []uint64) (total uint64) {
	for l := range n {
		v.Uint(&n[l])
		v.Check(n[l] <= mechanism.MaxRecords, "%d records under a node", n[l])
		total += n[l]
	}
	return total
}
