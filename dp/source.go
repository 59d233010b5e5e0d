package dp

import "peerd.dev/dp/sample"

// A Source is where a [Curator] has its noise from. The type is closed, so that a Curator can
// refuse a seeded one for people.
type Source = sample.Source

// NewSecureSource returns a Source over crypto/rand.
func NewSecureSource() *Source { return sample.NewSecureSource() }

// NewSeededSource returns a Source whose noise follows from the seed. Whoever knows the seed
// can take the noise off: it is for lockstep and the simulator.
func NewSeededSource(seed [32]byte) *Source { return sample.NewSeededSource(seed) }
