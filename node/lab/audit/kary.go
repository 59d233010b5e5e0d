package audit

import (
	"peerd.dev/dp"
	"peerd.dev/dp/factor"
)

// kary tells the nodes of a stream of [dp.Kary] apart. Such a stream draws sums, which
// share the noise of nodes, some of them of leaves to come. But a node (a, b] has nothing
// that the sums at a and b do not have: the sum at b is that at a and the node, noise
// included, be it that b adds the node or that a takes it off. docs/proofs/kary.md says
// which nodes there are, and what moves the sums moves.
//
// The noise of such a node has its law only if nobody chose to go on for what earlier
// sums showed of it. Where choices say how many leaves a stream closes, those nodes alone
// are known to have it that no earlier sum held.
type kary struct {
	digits factor.Kary
	chosen bool          // choices say how many leaves there are
	sums   [][]drawnNode // at leaf 0, 1, …
}

// newKary returns that of a stream of a charge; nil where what is drawn is nodes.
func newKary(c *dp.Charge, chosen bool) *kary {
	if !c.Mechanism.Describe().SharesNoise {
		return nil
	}
	return &kary{factor.KaryFor(c.Leaves), chosen, [][]drawnNode{make([]drawnNode, c.Width())}}
}

// closed returns how many leaves are.
func (k *kary) closed() uint64 { return uint64(len(k.sums)) - 1 }

// leaf takes in the next sum and returns the nodes that end there.
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

// open returns the nodes in sums so far that end at leaves to come, as far as records can
// have moved them. What was drawn for them is not known.
func (k *kary) open() (nodes []drawnNode) {
	t := k.closed()
	for level, size := 0, uint64(1); level < k.digits.Levels; level, size = level+1, size*k.digits.Base {
		from := t - t%size
		added, off := k.signs(from, size)
		// From its middle on sums add a node. They take one off before it begins.
		if from < t && (off || added && 2*(t-from) > size) {
			for _, n := range k.node(level, from, t) {
				n.open = true
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// signs reports whether sums add, or take off, the node of a size that begins at a leaf.
// One in Base is neither: it would end where the sums go over to the next larger node.
func (k *kary) signs(from, size uint64) (added, off bool) {
	d, m := from/size%k.digits.Base, (k.digits.Base-1)/2
	return d < m, d > m
}

// node returns what the sum at a leaf has more than that at an earlier one.
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
