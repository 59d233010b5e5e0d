package bandit

import (
	"fmt"
	"math"
	"slices"
)

// A Reading states for people what releases say of rewards that are ⟨x, θ⟩ on average. It is immutable.
type Reading struct {
	theta, half    []float64
	factor, offset float64
	last           []float64
}

// NewReading returns the reading of mean rewards offset + ⟨z, θ⟩, where z are the features of an action times a factor, and then
// the last ones, which all actions have. The error of theta has the covariance WᵀW, for a lower triangular W, row by row.
func NewReading(theta, half []float64, factor, offset float64, last ...float64) *Reading {
	return &Reading{slices.Clone(theta), slices.Clone(half), factor, offset, last}
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
	mean, deviation = r.along(append(appendScaled(nil, r.factor, x), r.last...))
	return mean + r.offset, deviation
}

// Change returns by how much the mean reward changes with features, and the standard error.
func (r *Reading) Change(from, to Features) (mean, deviation float64) {
	z := make(Features, len(r.theta))
	for i := range from {
		z[i] = r.factor * (to[i] - from[i])
	}
	return r.along(z)
}

// along returns ⟨z, θ⟩ and |Wz|.
func (r *Reading) along(z Features) (mean, deviation float64) {
	square, half := 0., r.half
	for i, v := range z {
		mean += r.theta[i] * v
		sum := 0.
		for j, w := range half[:i+1] {
			sum += float64(w * z[j])
		}
		square, half = square+sum*sum, half[i+1:]
	}
	return mean, math.Sqrt(square)
}
