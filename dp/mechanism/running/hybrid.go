package running

import (
	"math"
	"math/bits"

	"peerd.dev/dp/factor"
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/noise"
	"peerd.dev/dp/state"
)

// hybridLayout is the layout of a [hybrid] over a number of leaves.
type hybridLayout struct{ leaves uint64 }

func newHybridLayout(n uint64) mechanism.Layout { return &hybridLayout{n} }

func (*hybridLayout) Node(charged noise.Noise, t uint64) mechanism.Node {
	k, offset := factor.HybridBlock(t)
	if offset == 0 {
		return mechanism.Node{Span: mechanism.Span{From: t / 2, To: t}, Noise: charged}
	}
	charged.Scale *= uint64(factor.HybridLevels(k))
	return mechanism.Node{Span: mechanism.Span{From: 1<<k + offset&(offset-1), To: t}, Noise: charged}
}

func (*hybridLayout) Sum(charged noise.Noise, t uint64) noise.Noise {
	k, offset := factor.HybridBlock(t)
	if offset == 0 {
		return charged.Times(factor.HybridVariance(t))
	}
	l := float64(factor.HybridLevels(k))
	charged.Scale *= uint64(factor.HybridLevels(k))
	return charged.Times(factor.HybridVariance(t) / float64(l*l))
}

func (l *hybridLayout) Open(width int) mechanism.Stream {
	levels := factor.TreeLevels(l.leaves)
	return &hybrid{
		n:     make([]uint64, levels),
		alpha: make([]int64, levels*width),
		block: make([]int64, width),
		node:  make([]int64, levels*width),
		base:  make([]int64, width),
	}
}

// hybridL1 counts a record once in its increment and once in all nodes of its tree, whose noise
// is wider by the number of levels.
func hybridL1(uint64) uint64 { return 2 }

// hybridWidest returns the factor by which the noise of the last block's nodes is wider.
func hybridWidest(n uint64) uint64 {
	k, _ := factor.HybridBlock(n)
	return uint64(max(1, factor.HybridLevels(k)))
}

// hybrid is the mechanism of Chan, Shi and Song (2011, section 4) whose error needs no horizon.
// At every power of two the logarithmic mechanism adds an increment over the leaves since the
// last one, with noise of the charged scale. In between, a binary tree over the present block
// adds nodes, whose noise is wider by the number of levels of the block's tree. Closing a leaf
// draws one of the two. See docs/proofs/hybrid.md.
type hybrid struct {
	n     []uint64 // records under the node that each level of the block's tree keeps
	since uint64   // records in the block
	alpha []int64  // exact sums of nodes, width entries per level; private
	block []int64  // exact sum of the block; private
	node  []int64  // noisy nodes, width entries per level
	base  []int64  // sum of the noisy increments
}

func (h *hybrid) Close(a mechanism.Leaf, d mechanism.Drawer, node, sum []int64) (records uint64, err error) {
	h.since += a.Records
	for i, exact := range a.Sums {
		h.block[i] += exact
	}
	if _, offset := factor.HybridBlock(a.T); offset == 0 {
		records = h.closeBlock(d, node)
	} else {
		records = h.closeNode(a, d, bits.TrailingZeros64(offset), node)
	}
	for i := range sum {
		sum[i] = h.base[i]
		for l := range h.n {
			sum[i] += h.node[l*len(a.Sums)+i]
		}
	}
	return records, nil
}

// closeBlock draws the increment over the block and begins the next one.
func (h *hybrid) closeBlock(d mechanism.Drawer, node []int64) (records uint64) {
	for i, exact := range h.block {
		node[i] = d.Noisy(i, exact)
		h.base[i] += node[i]
	}
	records, h.since = h.since, 0
	for _, v := range [][]int64{h.block, h.alpha, h.node} {
		clear(v)
	}
	clear(h.n)
	return records
}

// closeNode draws the node of level z that ends with the leaf.
func (h *hybrid) closeNode(a mechanism.Leaf, d mechanism.Drawer, z int, node []int64) (records uint64) {
	w := len(a.Sums)
	for i, exact := range a.Sums {
		for l := range z {
			exact += h.alpha[l*w+i]
			h.alpha[l*w+i], h.node[l*w+i] = 0, 0
		}
		node[i] = d.Noisy(i, exact)
		h.alpha[z*w+i], h.node[z*w+i] = exact, node[i]
	}
	return mergeCounts(h.n, z, a.Records)
}

func (h *hybrid) Fields(v *state.Visitor, a mechanism.Leaf, of mechanism.Charged) {
	since := levelRecords(v, h.n)
	v.Vector(h.alpha, math.MaxInt64)
	v.Vector(h.block, math.MaxInt64)
	v.Vector(h.node, mechanism.MaxValue)
	v.Vector(h.base, mechanism.MaxValue)
	if !v.Loading() {
		return
	}
	h.since = since
	ok := h.since <= a.Total && of.Holds(h.block, h.since)
	for l, n := range h.n {
		ok = ok && of.Holds(h.alpha[l*len(a.Sums):(l+1)*len(a.Sums)], n)
	}
	v.Check(ok, "nodes that no %d records have", a.Total)
}
