package audit

import (
	"peerd.dev/dp"
	"peerd.dev/dp/factor"
)

// kary separates the nodes of a stream of [dp.Kary]. Such a stream draws sums, which share the
// noise of nodes, some of which include later leaves. But a node (a, b] contains nothing that the
// sums at a and b do not: the sum at b is the sum at a plus the node, including noise, whether b
// adds the node or a subtracts it. docs/proofs/kary.md says which nodes there are, and what moves
// the sums moves.
//
// The noise of such a node has its distribution only if no one decided to continue because of
// what earlier sums showed about it. If choices determine how many leaves a stream closes, only
// nodes that were in no earlier sum are known to have it.
type kary struct {
	digits factor.Kary
	chosen bool          // choices determine how many leaves there are
	sums   [][]drawnNode // at leaves 0, 1, …
}

// newKary returns the kary of a stream of a charge; nil if the stream draws nodes.
func newKary(c *dp.Charge, chosen bool) *kary {
	if !c.Mechanism.Describe().SharesNoise {
		return nil
	}
	return &kary{factor.KaryFor(c.Leaves), chosen, [][]drawnNode{make([]drawnNode, c.Width())}}
}

// closed returns the number of closed leaves.
func (k *kary) closed() uint64 { return uint64(len(k.sums)) - 1 }

// leaf records the next sum and returns the nodes that end there.
func (k *kary) leaf(sum []drawnNode) (nodes []drawnNode) {
	k.sums = append(k.sums, sum)
	t := k.closed()
	for level, size := 0, uint64(1); level < k.digits.Levels && t%size == 0; level, size = level+1, size*k.digits.Base {
		added, off := k.signs(t-size, size)
		if !added && !off {
			continue
		}
		for _, n := range k.node(level, t-size, t) {
			n.chosen = k.chosen && (off || level > 0)
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// open returns the nodes in the sums so far that end at later leaves, as far as records can have
// moved them. What was drawn for them is not known.
func (k *kary) open() (nodes []drawnNode) {
	t := k.closed()
	for level, size := 0, uint64(1); level < k.digits.Levels; level, size = level+1, size*k.digits.Base {
		from := t - t%size
		added, off := k.signs(from, size)
		// From its middle on, sums add a node. They subtract it only before it begins.
		if from < t && (off || added && 2*(t-from) > size) {
			for _, n := range k.node(level, from, t) {
				n.open = true
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// signs reports whether sums add, or subtract, the node of a size that begins at a leaf. One in
// Base nodes is neither: it would end where the sums continue with the next larger node.
func (k *kary) signs(from, size uint64) (added, off bool) {
	d, m := from/size%k.digits.Base, (k.digits.Base-1)/2
	return d < m, d > m
}

// node returns the difference between the sum at a leaf and the sum at an earlier one.
func (k *kary) node(level int, from, to uint64) []drawnNode {
	nodes := make([]drawnNode, len(k.sums[to]))
	for i := range nodes {
		n, before := k.sums[to][i], k.sums[from][i]
		n.from, n.to, n.place = from, to, level*len(nodes)+i
		n.noise.VarianceUnits = dp.VarianceScale
		n.value -= before.value
		for side := range n.exact {
			n.exact[side] -= before.exact[side]
		}
		nodes[i] = n
	}
	return nodes
}
