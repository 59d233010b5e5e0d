package dp

import "peerd.dev/dp/state"

// eachLayout is the layout of [each].
type eachLayout struct{}

func newEachLayout(uint64) layout { return eachLayout{} }

// node is the sum of leaf t.
func (eachLayout) node(charged Noise, t uint64) node { return node{Span{t - 1, t}, 1, charged} }

func (eachLayout) sum(charged Noise, _ uint64) Noise { return charged }

func (eachLayout) open(int, *arena) streamMechanism { return each{} }

// each releases every leaf's own sum with its own noise: means of epochs, say. Every
// record lies in one leaf, so a charge for one leaf covers them all.
type each struct{}

func (each) close(a *accumulator, d *drawer, node, _ []int64) (uint64, error) {
	for i, exact := range a.leaf {
		node[i] = d.noisy(a, i, exact)
	}
	return a.open, nil
}

func (each) fields(*state.Visitor, *accumulator, *Charge) {}
