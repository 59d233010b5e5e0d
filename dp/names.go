package dp

import (
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/noise"
)

// The parts of charges and releases, under the names that other packages use.
type (
	// Mechanism names how the sums of a stream are released.
	Mechanism    = mechanism.Mechanism
	Description  = mechanism.Description
	Span         = mechanism.Span
	Law          = noise.Law
	Noise        = noise.Noise
	NoiseMoments = noise.Moments
)

// The mechanisms; see [mechanism.Mechanism].
const (
	Tree            = mechanism.Tree
	None            = mechanism.None
	TreeGaussian    = mechanism.TreeGaussian
	EachLaplace     = mechanism.EachLaplace
	EachGaussian    = mechanism.EachGaussian
	Honaker         = mechanism.Honaker
	HonakerGaussian = mechanism.HonakerGaussian
	Hybrid          = mechanism.Hybrid
	Kary            = mechanism.Kary
	Sqrt            = mechanism.Sqrt
	BLT             = mechanism.BLT
)

// The laws of noise.
const (
	Laplace  = noise.Laplace
	Gaussian = noise.Gaussian
)

// VarianceScale is the unit of [Noise.VarianceUnits].
const VarianceScale = noise.VarianceScale

// Mechanisms returns all mechanisms, in the order of their numbers.
func Mechanisms() []Mechanism { return mechanism.All() }

// ParseMechanism returns the mechanism with a name that configurations use.
func ParseMechanism(name string) (Mechanism, error) { return mechanism.Parse(name) }
