package factor

import (
	"cmp"
	"math"
	"slices"
)

// An Inverse is B = A·C^(-1) of a [BLT] in closed form: its coefficients are Σ_j
// Share_j·(1-Decay_j)^k, for k from 0. The first pole has no decay; the others are the
// zeros of 1 + Σ_j ω_j/(u-θ_j), one below each θ.
type Inverse []Pole

// A Pole has a share in the first coefficient, which is 1, and a decay.
type Pole struct{ Decay, Share float64 }

// Inverse solves for the poles.
func (b BLT) Inverse() Inverse {
	slow := slices.SortedFunc(slices.Values(b), func(x, y Buffer) int { return cmp.Compare(x.Decay, y.Decay) })
	rest, weights := 1.0, 0.0
	for _, x := range slow {
		rest += x.Weight / x.Decay
		weights += x.Weight
	}
	poles := Inverse{{0, 1 / rest}}
	for i, x := range slow {
		lo, hi := x.Decay, slow[len(slow)-1].Decay+weights
		if i+1 < len(slow) {
			hi = slow[i+1].Decay
		}
		for mid := lo + (hi-lo)/2; lo < mid && mid < hi; mid = lo + (hi-lo)/2 {
			if value, _ := b.at(mid); value < 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		_, slope := b.at(lo)
		poles = append(poles, Pole{lo, 1 / float64(lo*slope)})
	}
	return poles
}

// at returns 1 + Σ_j ω_j/(u-θ_j) at u = 1 - decay, and its derivative in decay.
func (b BLT) at(decay float64) (value, slope float64) {
	value = 1
	for _, x := range b {
		d := x.Decay - decay
		value += x.Weight / d
		slope += x.Weight / float64(d*d)
	}
	return value, slope
}

// Variance returns the variance of the sum at leaf t in units of the variance of an
// entry of z: the squared norm of row t of B.
func (v Inverse) Variance(t uint64) float64 {
	sum := 0.0
	for _, x := range v {
		for _, y := range v {
			sum += float64(float64(x.Share*y.Share) * geometric(both(x.Decay, y.Decay), t))
		}
	}
	return sum
}

// Error returns the greatest variance of a sum over n leaves, which the last one has, with noise
// of variance 1 for a column of norm 1; +Inf for buffers out of range.
func (b BLT) Error(n uint64) float64 {
	for _, x := range b {
		if !(0 < x.Decay && x.Decay < 1 && 0 < x.Weight && x.Weight < 1) {
			return math.Inf(1)
		}
	}
	return float64(b.Column(n).Float() * b.Inverse().Variance(n))
}
