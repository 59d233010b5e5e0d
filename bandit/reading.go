package bandit

import (
	"fmt"
	"math"
	"slices"

	"peerd.dev/bandit/score"
)

// A Reading states for people what releases say of rewards that are ⟨x, θ⟩ on average. It is immutable.
type Reading struct {
	theta  []float64
	half   score.Triangle // W of the precision of theta
	affine bool           // rewards are centred
}

func newReading(theta []float64, half score.Triangle, records Kind) *Reading {
	return &Reading{theta: slices.Clone(theta), half: slices.Clone(half), affine: records == Centred}
}

// String shows all of it, since tests compare what is public as text.
func (r *Reading) String() string {
	if r == nil {
		return "nothing"
	}
	return fmt.Sprint(r.theta, r.half)
}

// Reward returns the mean reward of an action with features, and the standard error.
func (r *Reading) Reward(x Features) (mean, deviation float64) {
	if !r.affine {
		return r.along(x)
	}
	mean, deviation = r.along(appendAffine(nil, x))
	return mean + .5, deviation
}

// Change returns by how much the mean reward changes with features, and the standard error.
func (r *Reading) Change(from, to Features) (mean, deviation float64) {
	x, factor := make(Features, 0, len(r.theta)), 1.
	if r.affine {
		factor = ownFactor
	}
	for i := range from {
		x = append(x, factor*(to[i]-from[i]))
	}
	if r.affine {
		x = append(x, 0)
	}
	return r.along(x)
}

// along returns ⟨x, θ⟩ and |Wx|.
func (r *Reading) along(x Features) (mean, deviation float64) {
	for i, v := range x {
		mean += r.theta[i] * v
	}
	square := 0.
	for _, v := range score.Apply(make([]float64, len(x)), r.half, x) {
		square += v * v
	}
	return mean, math.Sqrt(square)
}
