package world

import "math"

// chiSquare is the law of a sum of squares of independent standard normal numbers, as many as its
// degrees of freedom.
type chiSquare struct {
	degrees       int     // ≥ 0
	middle, width float64 // of the method of Marsaglia and Tsang (2000)
}

func newChiSquare(degrees int) chiSquare {
	middle := float64(degrees)/2 - 1./3
	return chiSquare{degrees, middle, 1 / math.Sqrt(9*middle)}
}

// draw draws a number.
func (c *chiSquare) draw(q *quick) float64 {
	switch c.degrees {
	case 0:
		return 0
	case 1:
		z := q.normal()
		return z * z
	}
	for {
		z := q.normal()
		v := 1 + c.width*z
		if v <= 0 {
			continue
		}
		v *= v * v
		u, square := 1-q.Float64(), z*z
		if u < 1-.0331*square*square || math.Log(u) < square/2+c.middle*(1-v+math.Log(v)) {
			return 2 * c.middle * v
		}
	}
}
