package mechanism

import "peerd.dev/dp/noise"

// Description describes a mechanism to people and to audits.
type Description struct {
	Name    string    // the name in configurations
	Family  string    // the name that it shares with the same mechanism with other noise
	Summary string    // how running sums get their noise
	Suits   string    // when to use it
	Law     noise.Law // of the noise
	// Papers says that it is there for papers and comparisons: another one has less noise, or as little with less memory.
	Papers bool
	// SharesNoise says that what two leaves draw can have noise in common, so that an audit must
	// first separate the noise of single nodes.
	SharesNoise bool
	// Small is a shortest horizon for which a record is in every kind of node of the mechanism,
	// for audits and tests.
	Small uint64
}

// Design has all properties of a mechanism.
type Design struct {
	Description
	// Own says that a leaf releases its own sum instead of a running one.
	Own bool
	// Most is the greatest horizon, which bounds memory or time.
	Most uint64
	// L1 bounds the L1 norm of the change of everything drawn in a stream of n leaves through one
	// record of norm 1, for Laplace noise; L2 bounds the square of the L2 norm, for Gaussian
	// noise.
	L1 func(n uint64) uint64
	L2 func(n uint64) float64
	// Slack is what rounding adds to that L2 norm, in grid units; nil for nothing.
	Slack func(n uint64, width int) float64
	// Widest is the factor by which the noise of a node of n leaves can exceed the charged scale;
	// nil for 1.
	Widest func(n uint64) uint64
	// Layout returns the layout over n leaves.
	Layout func(n uint64) Layout
	// Tiles is [Mechanism.Tiles].
	Tiles bool
	// Keeps says that a stream keeps the sums of all its leaves.
	Keeps bool
}

// Times returns the factor by which the noise of a node can exceed the charged scale.
func (d *Design) Times(n uint64) uint64 {
	if d.Widest == nil {
		return 1
	}
	return d.Widest(n)
}
