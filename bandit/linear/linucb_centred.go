package linear

import "peerd.dev/bandit"

// For centred rewards, constant is the feature that all actions have, and ownFactor the factor of
// their own numbers, so that the norm of all is at most 1. Take mean rewards c + ⟨z, φ⟩ that are
// in [0,1] for all z of norm at most 1. A quarter of its square is the least part for which all
// of them are ½ + ⟨x, θ⟩ with a θ of norm at most 1: docs/proofs/linear.md.
const (
	constant  = .5
	ownFactor = 0.8660254037844386 // √¾
)

// appendAffine appends the features (√¾ z, ½) of an action with numbers z.
func appendAffine(x []float64, z bandit.Features) []float64 {
	return append(appendScaled(x, ownFactor, z), constant)
}

// affine makes features for the actions of a turn.
type affine struct {
	features []bandit.Features // scratch, one per arm
	made     int               // number of them in use in this turn
}

// newAffine returns an affine for a number of arms with d numbers each.
func newAffine(arms, d int) *affine {
	f := &affine{features: make([]bandit.Features, arms)}
	all := make([]float64, arms*(d+1))
	for k := range f.features {
		f.features[k] = all[k*(d+1) : (k+1)*(d+1) : (k+1)*(d+1)]
	}
	return f
}

// of returns the features of actions with numbers, valid until forget.
func (f *affine) of(numbers []bandit.Features) []bandit.Features {
	f.made = len(numbers)
	for k, z := range numbers {
		f.features[k] = appendAffine(f.features[k][:0], z)
	}
	return f.features[:f.made]
}

// forget clears the features, which are private and for one choice only.
func (f *affine) forget() {
	for _, x := range f.features[:f.made] {
		clear(x)
	}
	f.made = 0
}

func appendScaled(all bandit.Features, by float64, x []float64) bandit.Features {
	for _, v := range x {
		all = append(all, by*v)
	}
	return all
}
