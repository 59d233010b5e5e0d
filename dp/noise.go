package dp

import (
	"fmt"
	"math"
)

// A Law is that of noise.
type Law uint8

// The laws, both on the integers and drawn exactly; see docs/proofs/samplers.md.
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

// VarianceScale is how [Noise] counts the variance of one term: in 256ths, since decoders weight terms by
// fractions.
const VarianceScale = 256

// Noise is what every entry of a Release has of it: independent terms of one law. The
// zero Noise is none.
type Noise struct {
	Law           Law
	Scale         uint64 // of the widest term, in units of the Release's lattice
	VarianceUnits uint32 // Σ of squared scales over Scale², in units of 1/[VarianceScale], rounded up
}

// times returns the noise of a sum in which the variance of a term counts so often, a number that is exact or
// rounded the same on every machine.
func (n Noise) times(variance float64) Noise {
	if n.Scale == 0 {
		return Noise{}
	}
	n.VarianceUnits = uint32(math.Ceil(variance * VarianceScale))
	return n
}

// check refuses what is no noise.
func (n Noise) check() error {
	switch {
	case n.Law > Gaussian:
		return fmt.Errorf("%w: noise of %v", ErrMalformed, n.Law)
	case (n.Scale == 0) != (n.VarianceUnits == 0), n.Scale == 0 && n.Law != 0:
		return fmt.Errorf("%w: %d/%d %v terms of scale %d", ErrMalformed, n.VarianceUnits, VarianceScale, n.Law, n.Scale)
	case n.Scale > MaxValue:
		return fmt.Errorf("%w: noise scale %d, at most %d", ErrMalformed, n.Scale, uint64(MaxValue))
	}
	return nil
}

// Variance returns the noise's variance in squares of the lattice's unit, without that
// of the lattice itself.
func (n Noise) Variance() float64 { return n.moments(0).Variance() }

// NoiseMoments are noise as learners compute with it: independent Laplace terms of scales b
// and Gaussian ones. Its variance is\n// 2·LaplaceSumSq + GaussVar.
type NoiseMoments struct {
	LaplaceSumSq float64 // Σ b²
	LaplaceMax   float64 // max b
	GaussVar     float64 // variance of the Gaussian terms
}

// moments returns the noise on a lattice of 2^e.
func (n Noise) moments(e int8) NoiseMoments {
	b := float64(n.Scale) * unit(e)
	sum := float64(n.VarianceUnits) / VarianceScale * b * b
	if n.Law == Gaussian {
		return NoiseMoments{GaussVar: sum}
	}
	return NoiseMoments{LaplaceSumSq: sum, LaplaceMax: b}
}

// Plus returns the moments of the sum of two independent noises.
func (s NoiseMoments) Plus(o NoiseMoments) NoiseMoments {
	return NoiseMoments{s.LaplaceSumSq + o.LaplaceSumSq, max(s.LaplaceMax, o.LaplaceMax), s.GaussVar + o.GaussVar}
}

// Over returns the moments of the noise divided by n.
func (s NoiseMoments) Over(n float64) NoiseMoments {
	return NoiseMoments{s.LaplaceSumSq / (n * n), s.LaplaceMax / n, s.GaussVar / (n * n)}
}

// Variance returns the noise's variance, without that of the lattice.
func (s NoiseMoments) Variance() float64 { return 2*s.LaplaceSumSq + s.GaussVar }
