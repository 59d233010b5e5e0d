package dp

import (
	"encoding/binary"
	"math/bits"

	"peerd.dev/dp/factor"
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

// appendState encodes the nodes; the running sum is theirs.
func (t *tree) appendState(b []byte, _ *accumulator) []byte {
	for _, n := range t.n {
		b = binary.AppendUvarint(b, n)
	}
	return appendInts(appendInts(b, t.alpha), t.node)
}

func (t *tree) readState(r *reader, a *accumulator, c *Charge) {
	w := a.width
	total, ok := uint64(0), true
	for l := range t.n {
		t.n[l] = min(r.uint(), maxRecords+1)
		total += t.n[l]
	}
	r.ints(t.alpha)
	r.ints(t.node)
	for l, n := range t.n {
		exact, noisy := t.alpha[l*w:(l+1)*w], t.node[l*w:(l+1)*w]
		ok = ok && n <= maxRecords && c.sumsOf(exact, n)
		for i, v := range noisy {
			ok = ok && within(v) && (c.Scale != 0 || v == exact[i])
			t.sum[i] += v
		}
	}
	if !ok || total != a.total {
		r.fail()
	}
}
