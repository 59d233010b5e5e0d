package mechanism

import (
	"peerd.dev/dp/noise"
	"peerd.dev/dp/state"
)

// eachLayout is the layout of [each].
type eachLayout struct{}

func newEachLayout(uint64) Layout { return eachLayout{} }

// Node is the sum of leaf t.
func (eachLayout) Node(charged noise.Noise, t uint64) Node { return Node{Span{t - 1, t}, charged} }

func (eachLayout) Sum(charged noise.Noise, _ uint64) noise.Noise { return charged }

func (eachLayout) Open(int) Stream { return each{} }

// each releases every leaf's own sum with its own noise, for example means of epochs. Every
// record is in one leaf, so a charge for one leaf covers them all.
type each struct{}

func (each) Close(a Leaf, d Drawer, node, _ []int64) (uint64, error) {
	for i, exact := range a.Sums {
		node[i] = d.Noisy(i, exact)
	}
	return a.Records, nil
}

func (each) Fields(*state.Visitor, Leaf, Charged) {}
