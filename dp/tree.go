package dp

import (
	"math/bits"

	"peerd.dev/dp/factor"
	"peerd.dev/dp/state"
)

// treeLayout is the layout of a [tree] over a number of leaves.
type treeLayout struct{ leaves uint64 }

func newTreeLayout(n uint64) layout { return &treeLayout{n} }

// node is the one that closing leaf t completes.
func (*treeLayout) node(charged Noise, t uint64) node { return node{Span{t & (t - 1), t}, 1, charged} }

// sum counts a term for every node in the t-th sum.
func (*treeLayout) sum(charged Noise, t uint64) Noise {
	return charged.times(float64(factor.TreeTerms(t)))
}

func (l *treeLayout) open(width int, _ *arena) streamMechanism {
	levels := factor.TreeLevels(l.leaves)
	return &tree{
		n:     make([]uint64, levels),
		alpha: make([]int64, levels*width),
		node:  make([]int64, levels*width),
		sum:   make([]int64, width),
	}
}

// levels is in how many nodes of a tree over leaves one leaf can lie.
func levels(leaves uint64) uint64 { return uint64(factor.TreeLevels(leaves)) }

// levelsSquared is the square of the L2 norm of as many ones.
func levelsSquared(leaves uint64) float64 { return float64(levels(leaves)) }

// tree is the binary mechanism of one stream (Chan, Shi and Song 2011,
// Algorithm 2). Closing leaf t completes exactly one node, the one of level
// z = (trailing zeros of t) over leaves t-2^z+1 … t; it gets its own noise, once.
// The running sum is the sum of the newest noisy nodes at the set bits of t.
type tree struct {
	n     []uint64 // records under the node that each level keeps
	alpha []int64  // exact sums, width entries a level; private
	node  []int64  // noisy nodes, width entries a level
	sum   []int64  // noisy running sum
}

func (t *tree) close(a *accumulator, d *drawer, node, sum []int64) (uint64, error) {
	z, w := bits.TrailingZeros64(a.t), a.width
	for i, exact := range a.leaf {
		for l := range z {
			exact += t.alpha[l*w+i] // within maxRecords·maxBound·2^20: no overflow
			t.sum[i] -= t.node[l*w+i]
			t.alpha[l*w+i], t.node[l*w+i] = 0, 0
		}
		t.alpha[z*w+i] = exact
		node[i] = d.noisy(a, i, exact)
		t.node[z*w+i] = node[i]
		t.sum[i] += node[i]
		sum[i] = t.sum[i]
	}
	return mergeCounts(t.n, z, a.open), nil
}

// mergeCounts makes the records under the nodes of levels below z, with those of the open
// leaf, the records under the node of level z, and returns how many they are.
func mergeCounts(n []uint64, z int, open uint64) uint64 {
	for l := range z {
		open += n[l]
		n[l] = 0
	}
	n[z] = open
	return open
}

// fields visits the nodes; the running sum is theirs.
func (t *tree) fields(v *state.Visitor, a *accumulator, c *Charge) {
	total := levelRecords(v, t.n)
	ints(v, t.alpha)
	values(v, t.node)
	if !v.Loading() {
		return
	}
	w := a.width
	ok := total == a.total
	for l, n := range t.n {
		exact, noisy := t.alpha[l*w:(l+1)*w], t.node[l*w:(l+1)*w]
		ok = ok && c.sumsOf(exact, n)
		for i, y := range noisy {
			ok = ok && (c.Scale != 0 || y == exact[i])
			t.sum[i] += y
		}
	}
	v.Check(ok, "nodes that no %d records have", a.total)
}

// levelRecords visits how many records are under the node that each level keeps, and returns
// how many they are together.
func levelRecords(v *state.Visitor, n []uint64) (total uint64) {
	for l := range n {
		v.Uint(&n[l])
		v.Check(n[l] <= maxRecords, "%d records under a node", n[l])
		total += n[l]
	}
	return total
}
