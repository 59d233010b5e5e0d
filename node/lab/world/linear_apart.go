package world

import (
	"math"
	"slices"
)

// along returns the number of entries of a direction, which are the first ones of θ.
func (p LinearParams) along() int {
	if p.Law == Sphere {
		return p.Features - 1
	}
	return p.Features
}

// differ reports whether sites have parameters of their own.
func (p LinearParams) differ() bool { return p.Deviation > 0 || len(p.Odd) > 0 }

// index reports whether x is a whole number from 0 to n-1.
func index(x float64, n int) bool { return x >= 0 && x < float64(n) && x == math.Trunc(x) }

// apart returns a parameter that differs from theta by a deviation.
func (p LinearParams) apart(theta []float64, from chance) []float64 {
	other := make([]float64, len(theta))
	from.normals(other)
	n := p.along()
	long := math.Sqrt(dot(theta[:n], theta[:n]))
	for i, x := range theta[:n] {
		other[i] = x/long + p.Deviation*other[i]/math.Sqrt(float64(n))
	}
	scale(other[:n], long)
	copy(other[n:], theta[n:])
	return other
}

// turned returns a parameter with an entry of the direction that is a part of its norm.
func (p LinearParams) turned(theta []float64, feature int, part float64) []float64 {
	other := slices.Clone(theta)
	along := other[:p.along()]
	long := math.Sqrt(dot(along, along))
	along[feature] = 0
	scale(along, long*math.Sqrt(1-part*part))
	along[feature] = long * part
	return other
}
