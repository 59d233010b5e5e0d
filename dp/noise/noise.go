// Package noise describes noise: its distribution, its scale, and the noise of sums.
package noise

import (
	"fmt"
	"math"
)

// A Law is the distribution of noise.
type Law uint8

// The laws, both on the integers and sampled exactly; see docs/proofs/samplers.md.
const (
	Laplace  Law = iota // P(x) ~ exp(-|x|/scale)
	Gaussian            // P(x) ~ exp(-x²/2·scale²)
)

// String returns the name of the law.
func (l Law) String() string {
	switch l {
	case Laplace:
		return "laplace"
	case Gaussian:
		return "gaussian"
	}
	return fmt.Sprintf("Law(%d)", uint8(l))
}

// maxScale bounds scales, like values.
const maxScale = 1 << 61

// VarianceScale is the unit in which [Noise] counts the variance of one term: 256ths, since
// decoders weight terms by fractions.
const VarianceScale = 256

// Noise is the noise in every entry of a release: independent terms of one law. The zero Noise is
// none.
type Noise struct {
	Law           Law
	Scale         uint64 // of the widest term, in units of the release's lattice
	VarianceUnits uint32 // Σ of squared scales over Scale², in units of 1/[VarianceScale], rounded up
}

// Times returns the noise of a sum with a variance of that many terms, a number that is exact or
// rounded the same on every machine.
func (n Noise) Times(variance float64) Noise {
	if n.Scale == 0 {
		return Noise{}
	}
	n.VarianceUnits = uint32(math.Ceil(variance * VarianceScale))
	return n
}

// Plus returns the noise of two independent sums of one law.
func (n Noise) Plus(m Noise) Noise {
	if n.Scale < m.Scale {
		n, m = m, n
	}
	if m.Scale == 0 {
		return n
	}
	ratio := float64(m.Scale) / float64(n.Scale)
	n.VarianceUnits += uint32(math.Ceil(float64(m.VarianceUnits) * ratio * ratio))
	return n
}

// Check refuses invalid noise.
func (n Noise) Check() error {
	switch {
	case n.Law > Gaussian:
		return fmt.Errorf("noise of %v", n.Law)
	case (n.Scale == 0) != (n.VarianceUnits == 0), n.Scale == 0 && n.Law != 0:
		return fmt.Errorf("%d/%d %v terms of scale %d", n.VarianceUnits, VarianceScale, n.Law, n.Scale)
	case n.Scale > maxScale:
		return fmt.Errorf("noise scale %d, at most %d", n.Scale, uint64(maxScale))
	}
	return nil
}

// Variance returns the noise's variance in squares of the lattice's unit, without the rounding
// error of the lattice.
func (n Noise) Variance() float64 { return n.Moments(1).Variance() }

// Moments are the noise in the form with which learners compute: independent Laplace terms of
// scales b and Gaussian ones. Its variance is 2·LaplaceSumSq + GaussVar.
type Moments struct {
	LaplaceSumSq float64 // Σ b²
	LaplaceMax   float64 // max b
	GaussVar     float64 // variance of the Gaussian terms
}

// Moments returns the moments of the noise on a lattice with a unit.
func (n Noise) Moments(unit float64) Moments {
	b := float64(n.Scale) * unit
	sum := float64(n.VarianceUnits) / VarianceScale * b * b
	if n.Law == Gaussian {
		return Moments{GaussVar: sum}
	}
	return Moments{LaplaceSumSq: sum, LaplaceMax: b}
}

// Plus returns the moments of the sum of two independent noises.
func (s Moments) Plus(o Moments) Moments {
	return Moments{s.LaplaceSumSq + o.LaplaceSumSq, max(s.LaplaceMax, o.LaplaceMax), s.GaussVar + o.GaussVar}
}

// Max returns the greater of each moment.
func (s Moments) Max(o Moments) Moments {
	return Moments{max(s.LaplaceSumSq, o.LaplaceSumSq), max(s.LaplaceMax, o.LaplaceMax), max(s.GaussVar, o.GaussVar)}
}

// Over returns the moments of the noise divided by n.
func (s Moments) Over(n float64) Moments {
	return Moments{s.LaplaceSumSq / (n * n), s.LaplaceMax / n, s.GaussVar / (n * n)}
}

// Variance returns the noise's variance, without the lattice's rounding error.
func (s Moments) Variance() float64 { return 2*s.LaplaceSumSq + s.GaussVar }
