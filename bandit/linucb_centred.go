package bandit

// Where rewards are centred, the feature that all actions have, and what their own numbers are multiplied by, so that
// the norm of all is 1 at most. A quarter of its square is the least part for which every mean reward c + ⟨z, φ⟩ that lies
// in [0,1] for all z of norm 1 at most is ½ + ⟨x, θ⟩ with a θ of norm 1 at most: docs/proofs/linear.md.
const (
	constant = .5
	beside   = 0.8660254037844386 // √¾
)

// appendAffine appends the features (√¾ z, ½) of an action with numbers z.
func appendAffine(x []float64, z Features) []float64 {
	return append(appendScaled(x, beside, z), constant)
}

// affine makes features of the actions of a turn, and is itself the [Actions] of one in which they are drawn one
// by one.
type affine struct {
	actions  Actions    // of the turn, without the constant
	aim      []float64  // scratch
	offset   float64    // what the constant adds to products with what is aimed at
	features []Features // scratch; as many as there are arms
	made     int        // of them in this turn
}

// newAffine returns one for a number of arms with d numbers each.
func newAffine(arms, d int) *affine {
	f := &affine{aim: make([]float64, d), features: make([]Features, arms)}
	all := make([]float64, arms*(d+1))
	for k := range f.features {
		f.features[k] = all[k*(d+1) : (k+1)*(d+1) : (k+1)*(d+1)]
	}
	return f
}

// turn returns t with features that have the constant, until forget.
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

// forget clears what was made, which is private, and of one choice only.
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
		f.aim[i] = beside * theta[i]
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

// Of implements [Actions]. No learner asks for it.
func (f *affine) Of(a Arm) Features { return f.of(f.actions.Of(a)) }
