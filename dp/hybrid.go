package dp

import (
	"encoding/binary"
	"math/bits"

	"peerd.dev/dp/factor"
)

// hybrid is the mechanism of Chan, Shi and Song (2011, section 4) whose error needs no
// horizon. At every power of two the logarithmic mechanism adds an increment over the
// leaves since the last one, with noise of the charged scale. In between a binary tree
// over the block that has begun adds nodes, whose noise is as many times as wide as the
// block's tree has levels. Closing a leaf draws one of the two. See
// docs/proofs/hybrid.md.
type hybrid struct {
	intake
	n     []uint64 // records under the node that each level of the block's tree keeps
	since uint64   // records in the block
	alpha []int64  // exact sums of nodes, width entries a level; private
	block []int64  // exact sum of the block; private
	node  []int64  // noisy nodes, width entries a level
	base  []int64  // sum of the noisy increments
}

func newHybrid(n intake, c *Charge) running {
	l := factor.TreeLevels(c.Leaves)
	return &hybrid{
		intake: n,
		n:      make([]uint64, l),
		alpha:  make([]int64, l*n.width),
		block:  make([]int64, n.width),
		node:   make([]int64, l*n.width),
		base:   make([]int64, n.width),
	}
}

// hybridL1 counts a record once in its increment and once in all nodes of its tree,
// whose noise is as much wider as there are levels.
func hybridL1(uint64) uint64 { return 2 }

// hybridWidest returns by how much the noise of the last block's nodes is wider.
func hybridWidest(n uint64) uint64 {
	k, _ := factor.HybridBlock(n)
	return uint64(max(1, factor.HybridLevels(k)))
}

func hybridNode(charged Noise, _, t uint64) node {
	k, offset := factor.HybridBlock(t)
	if offset == 0 {
		return node{Span{t / 2, t}, 1, charged}
	}
	charged.Scale *= uint64(factor.HybridLevels(k))
	return node{Span{1<<k + offset&(offset-1), t}, 1, charged}
}

func hybridSum(charged Noise, _, t uint64) Noise {
	k, offset := factor.HybridBlock(t)
	if offset == 0 {
		return charged.times(factor.HybridVariance(t))
	}
	l := float64(factor.HybridLevels(k))
	charged.Scale *= uint64(factor.HybridLevels(k))
	return charged.times(factor.HybridVariance(t) / float64(l*l))
}

func (h *hybrid) draws() int { return h.width }

func (h *hybrid) close(src *Source, given []int64, out *Leaf) {
	k, w := h.t+1, h.width
	_, offset := factor.HybridBlock(k)
	z := bits.TrailingZeros64(offset) // 64 for an increment
	v := hybridNode(h.noise, h.leaves, k)
	noisy, sum := h.arena.values.take(w), h.arena.values.take(w)
	n := h.take(noisy)
	h.since += n
	for i := range w {
		h.block[i] += noisy[i]
		if offset == 0 {
			noisy[i], h.block[i] = h.block[i], 0
		} else {
			for l := range z {
				noisy[i] += h.alpha[l*w+i]
				h.alpha[l*w+i], h.node[l*w+i] = 0, 0
			}
			h.alpha[z*w+i] = noisy[i]
		}
		if given != nil {
			noisy[i] = given[i]
		} else {
			noisy[i] += h.draw(src, v.noise.Scale)
		}
		if offset == 0 {
			h.base[i] += noisy[i]
		} else {
			h.node[z*w+i] = noisy[i]
		}
	}
	if offset == 0 {
		n, h.since = h.since, 0
		clear(h.n)
		clear(h.alpha)
		clear(h.node)
	} else {
		for l := range z {
			n += h.n[l]
			h.n[l] = 0
		}
		h.n[z] = n
	}
	for i := range w {
		sum[i] = h.base[i]
		for l := range h.n {
			sum[i] += h.node[l*w+i]
		}
	}
	counts := h.arena.counts.take(2)
	counts[0], counts[1] = n, h.total
	out.Node = Release{h.id, v.span, counts[:1:1], noisy, GridExponent, v.noise}
	out.Sum = Release{h.id, Span{0, k}, counts[1:2:2], sum, GridExponent, hybridSum(h.noise, h.leaves, k)}
}

func (h *hybrid) append(b []byte) []byte {
	for _, n := range h.n {
		b = binary.AppendUvarint(b, n)
	}
	b = appendInts(appendInts(b, h.alpha), h.block)
	return appendInts(appendInts(b, h.node), h.base)
}

func (h *hybrid) read(r *reader, c *Charge) {
	for l := range h.n {
		h.n[l] = min(r.uint(), maxRecords+1)
		h.since += h.n[l]
	}
	for _, v := range [][]int64{h.alpha, h.block, h.node, h.base} {
		r.ints(v)
	}
	ok := h.since <= h.total && c.sumsOf(h.block, h.since)
	for l, n := range h.n {
		ok = ok && n <= maxRecords && c.sumsOf(h.alpha[l*h.width:(l+1)*h.width], n)
	}
	for _, v := range [][]int64{h.node, h.base} {
		for _, x := range v {
			ok = ok && within(x)
		}
	}
	if !ok {
		r.fail()
	}
}
