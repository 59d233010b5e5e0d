package bandit

// For centred rewards, constant is the feature that all actions have, and ownFactor the factor of
// their own numbers, so that the norm of all is at most 1. Take mean rewards c + ⟨z, φ⟩ that are
// in [0,1] for all z of norm at most 1. A quarter of its square is the least part for which all
// of them are ½ + ⟨x, θ⟩ with a θ of norm at most 1: docs/proofs/linear.md.
const (
	constant  = .5
	ownFactor = 0.8660254037844386 // √¾
)

// appendAffine appends the features (√¾ z, ½) of an action with numbers z.
func appendAffine(x []float64, z Features) []float64 {
	return append(appendScaled(x, ownFactor, z), constant)
}

// affine makes features for the actions of a turn. It also implements [Actions], for actions that
// are drawn one by one.
type affine struct {
	actions  Actions    // of the turn, without the constant
	aim      []float64  // scratch
	offset   float64    // what the constant adds to products with the aim
	features []Features // scratch, one per arm
	made     int        // number of them in use in this turn
}

// newAffine returns an affine for a number of arms with d numbers each.
func newAffine(arms, d int) *affine {
	f := &affine{aim: make([]float64, d), features: make([]Features, arms)}
	all := make([]float64, arms*(d+1))
	for k := range f.features {
		f.features[k] = all[k*(d+1) : (k+1)*(d+1) : (k+1)*(d+1)]
	}
	return f
}

// turn returns t with features that include the constant, valid until forget.
func (f *affine) turn(t Turn) Turn {
	if f.made = 0; t.Actions != nil {
		f.actions, t.Actions = t.Actions, f
		return t
	}
	for _, z := range t.Features {
		f.of(z)
	}
	t.Features = f.features[:f.made]
	return t
}

// forget clears the features, which are private and for one choice only.
func (f *affine) forget() {
	for _, x := range f.features[:f.made] {
		clear(x)
	}
	f.actions, f.made = nil, 0
}

// of returns the features of an action with numbers z.
func (f *affine) of(z Features) Features {
	x := appendAffine(f.features[f.made][:0], z)
	f.features[f.made] = x
	f.made++
	return x
}

// Aim implements [Actions].
func (f *affine) Aim(theta []float64) {
	for i := range f.aim {
		f.aim[i] = ownFactor * theta[i]
	}
	f.offset = constant * theta[len(f.aim)]
	f.actions.Aim(f.aim)
}

// Next implements [Actions].
func (f *affine) Next(least float64) (Arm, Features, bool) {
	a, z, ok := f.actions.Next(least - f.offset)
	if !ok {
		return NoArm, nil, false
	}
	return a, f.of(z), true
}

// Of implements [Actions]. No learner calls it.
func (f *affine) Of(a Arm) Features { return f.of(f.actions.Of(a)) }
