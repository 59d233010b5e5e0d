package dp

import (
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/noise"
)

// Mechanism names how the sums of a stream are released.
type Mechanism = mechanism.Mechanism

// Description is what a mechanism says of itself to people and to audits.
type Description = mechanism.Description

// Span is the leaves that a release is over.
type Span = mechanism.Span

// Law is the law of noise.
type Law = noise.Law

// Noise is what is known of the noise in a release.
type Noise = noise.Noise

// NoiseMoments are the moments of the noise in a release.
type NoiseMoments = noise.Moments

// The mechanisms; see [mechanism.Mechanism].
const (
	Tree         = mechanism.Tree
	None         = mechanism.None
	TreeGaussian = mechanism.TreeGaussian
	EachLaplace  = mechanism.EachLaplace
	EachGaussian = mechanism.EachGaussian
	Hybrid       = mechanism.Hybrid
	Kary         = mechanism.Kary
	Sqrt         = mechanism.Sqrt
	BLT          = mechanism.BLT
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
