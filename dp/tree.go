package dp

import (
	"encoding/binary"
	"math/bits"

	"peerd.dev/dp/factor"
)

// tree is the binary mechanism of one stream (Chan, Shi and Song 2011,
// Algorithm 2). Closing leaf t completes exactly one node, the one of level
// z = (trailing zeros of t) over leaves t-2^z+1 … t; it gets its own noise, once.
// The running sum is the sum of the newest noisy nodes at the set bits of t.
type tree struct {
	intake
	n     []uint64 // records under the node that each level keeps
	alpha []int64  // exact sums, width entries a level; private
	node  []int64  // noisy nodes, width entries a level
	sum   []int64  // noisy running sum
	exact []int64  // scratch
}

// newTree returns a stream of a charge.
func newTree(n intake, c *Charge) running {
	l := factor.TreeLevels(c.Leaves)
	return &tree{
		intake: n,
		n:      make([]uint64, l),
		alpha:  make([]int64, l*n.width),
		node:   make([]int64, l*n.width),
		sum:    make([]int64, n.width),
		exact:  make([]int64, n.width),
	}
}

// levels is in how many nodes of a tree over leaves one leaf can lie.
func levels(leaves uint64) uint64 { return uint64(factor.TreeLevels(leaves)) }

// levelsSquared is the square of the L2 norm of as many ones.
func levelsSquared(leaves uint64) float64 { return float64(levels(leaves)) }

// treeSum counts a term for every node in the t-th sum.
func treeSum(charged Noise, _, t uint64) Noise { return charged.times(float64(factor.TreeTerms(t))) }

// treeNode is the node that closing leaf t completes.
func treeNode(charged Noise, _, t uint64) node { return node{Span{t & (t - 1), t}, 1, charged} }

func (t *tree) draws() int { return t.width }

// close ends the next leaf, which must be due, and writes what that releases. The
// noisy node is drawn from src, or is given where an earlier run drew it.
func (t *tree) close(src *Source, given []int64, out *Leaf) {
	k := t.t + 1
	z := bits.TrailingZeros64(k)
	d := t.width
	node := t.arena.values.take(2 * d)
	sum := node[d : 2*d : 2*d]
	node = node[:d:d]
	n := t.take(t.exact)
	for i := range d {
		exact := t.exact[i]
		for l := range z {
			exact += t.alpha[l*d+i] // within maxRecords·maxBound·2^20: no overflow
			t.sum[i] -= t.node[l*d+i]
			t.alpha[l*d+i], t.node[l*d+i] = 0, 0
		}
		t.alpha[z*d+i] = exact
		noisy := exact
		switch {
		case given != nil:
			noisy = given[i]
		case t.noise.Scale != 0:
			noisy += t.draw(src, t.noise.Scale)
		}
		node[i] = noisy
		t.node[z*d+i] = noisy
		t.sum[i] += noisy
		sum[i] = t.sum[i]
	}
	for l := range z {
		n += t.n[l]
		t.n[l] = 0
	}
	t.n[z] = n

	counts := t.arena.counts.take(2)
	counts[0], counts[1] = n, t.total
	noise := t.noise
	noise.Terms *= uint32(factor.TreeTerms(k))
	out.Node = Release{t.id, Span{k - 1<<z, k}, counts[:1:1], node, GridExponent, t.noise}
	out.Sum = Release{t.id, Span{0, k}, counts[1:2:2], sum, GridExponent, noise}
}

// skip sets t.t to m-1 for the smallest m > k whose running sum is made of nodes that
// are known, and the new one. The node that m completes has level z, where bit z of t.t
// is 0, and begins where the nodes at the higher bits of t.t end. Those at the lower
// bits are what close merges into it; levels in between are empty.
func (t *tree) skip(k uint64) {
	k = max(k, t.t)
	for z := range t.n {
		if m := (t.t>>z | 1) << z; m > k && m <= t.leaves { // where bit z is 1, m ≤ t.t
			t.t = m - 1
			return
		}
	}
	t.t = t.leaves
}

// treeGoesOn: the new node begins at a leaf that is known, as skip has it.
func treeGoesOn(before, next uint64) bool { return next&(next-1) <= before }

// append encodes the nodes; the running sum is theirs.
func (t *tree) append(b []byte) []byte {
	for _, n := range t.n {
		b = binary.AppendUvarint(b, n)
	}
	return appendInts(appendInts(b, t.alpha), t.node)
}

func (t *tree) read(r *reader, c *Charge) {
	total, ok := uint64(0), true
	for l := range t.n {
		t.n[l] = min(r.uint(), maxRecords+1)
		total += t.n[l]
	}
	r.ints(t.alpha)
	r.ints(t.node)
	for l, n := range t.n {
		exact, noisy := t.alpha[l*t.width:(l+1)*t.width], t.node[l*t.width:(l+1)*t.width]
		ok = ok && n <= maxRecords && c.sumsOf(exact, n)
		for i, v := range noisy {
			ok = ok && within(v) && (t.noise.Scale != 0 || v == exact[i])
			t.sum[i] += v
		}
	}
	if !ok || total != t.total {
		r.fail()
	}
}
