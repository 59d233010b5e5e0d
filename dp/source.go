package dp

import "peerd.dev/dp/sample"

// A Source is where a [Curator] gets its noise. The type is closed, so that a Curator can refuse
// a seeded one for people.
type Source = sample.Source

// NewSecureSource returns a Source over crypto/rand.
func NewSecureSource() *Source { return sample.NewSecureSource() }

// NewSeededSource returns a Source whose noise follows from the seed. Anyone who knows the seed
// can subtract the noise: it is for lockstep and the simulator.
func NewSeededSource(seed [32]byte) *Source { return sample.NewSeededSource(seed) }
