package mechanism

import "peerd.dev/dp/noise"

// Description describes a mechanism to people and to audits.
type Description struct {
	Name    string    // the name in configurations
	Family  string    // the name that it shares with the same mechanism with other noise
	Summary string    // how running sums get their noise
	Suits   string    // when to use it
	Law     noise.Law // of the noise
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
	// widest is the factor by which the noise of a node of n leaves can exceed the charged scale;
	// nil for 1.
	widest func(n uint64) uint64
	// Layout returns the layout over n leaves.
	Layout func(n uint64) Layout
	// tiles is [Mechanism.Tiles].
	tiles bool
	// Keeps says that a stream keeps the sums of all its leaves.
	Keeps bool
}

// Times returns the factor by which the noise of a node can exceed the charged scale.
func (d *Design) Times(n uint64) uint64 {
	if d.widest == nil {
		return 1
	}
	return d.widest(n)
}

// mechanisms is the table, by number. A mechanism enters it when it passes the tests of
// mechanism_test.go.
func mechanisms() [BLT + 1]Design {
	return [...]Design{
		Tree: {
			Description: Description{Name: "tree", Family: "tree", Summary: treeSummary, Suits: "papers that use it", Law: noise.Laplace, Small: 8},
			Most:        MaxLeaves, L1: levels, Layout: newTreeLayout, tiles: true,
		},
		None: {
			Description: Description{Name: "none", Family: "none", Suits: "worlds without people", Law: noise.Laplace, Small: 8},
			Most:        MaxLeaves, Layout: newTreeLayout, tiles: true,
		},
		TreeGaussian: {
			Description: Description{Name: "tree-gaussian", Family: "tree", Summary: treeSummary, Suits: "papers that use it", Law: noise.Gaussian, Small: 8},
			Most:        MaxLeaves, L2: levelsSquared, Layout: newTreeLayout, tiles: true,
		},
		EachLaplace: {
			Description: Description{Name: "each", Family: "each", Suits: "sums of epochs that are not added up", Law: noise.Laplace, Small: 1},
			Own:         true, Most: MaxLeaves, L1: onceL1, Layout: newEachLayout,
		},
		EachGaussian: {
			Description: Description{Name: "each-gaussian", Family: "each", Suits: "sums of epochs that are not added up, if a delta is acceptable", Law: noise.Gaussian, Small: 1},
			Own:         true, Most: MaxLeaves, L2: onceL2, Layout: newEachLayout,
		},
		Honaker: {
			Description: Description{Name: "honaker", Family: "honaker", Summary: honakerSummary, Suits: "papers that use it", Law: noise.Laplace, Small: 8},
			Most:        MaxLeaves, L1: levels, Layout: newHonakerLayout,
		},
		HonakerGaussian: {
			Description: Description{Name: "honaker-gaussian", Family: "honaker", Summary: honakerSummary, Suits: "papers that use it", Law: noise.Gaussian, Small: 8},
			Most:        MaxLeaves, L2: levelsSquared, Layout: newHonakerLayout,
		},
		Hybrid: {
			Description: Description{Name: "hybrid", Family: "hybrid", Summary: hybridSummary, Suits: "papers that use it", Law: noise.Laplace, Small: 8},
			Most:        MaxLeaves, L1: hybridL1, widest: hybridWidest, Layout: newHybridLayout, tiles: true,
		},
		Kary: {
			Description: Description{
				Name: "kary", Family: "kary", Summary: karySummary, Suits: "delta = 0: the least noise of those", Law: noise.Laplace,
				SharesNoise: true, Small: 40, // fewer leaves have one level, and no nodes of later leaves
			},
			Most: MaxLeaves, L1: karyL1, Layout: newKaryLayout, tiles: true,
		},
		Sqrt: {
			Description: Description{Name: "sqrt", Family: "sqrt", Summary: sqrtSummary, Suits: "comparison with blt, whose limit it is", Law: noise.Gaussian, Small: 8},
			Most:        maxSqrtLeaves, L2: rootL2, Slack: roundingSlack, Layout: newRootLayout, Keeps: true,
		},
		BLT: {
			Description: Description{Name: "blt", Family: "blt", Summary: bltSummary, Suits: "a small delta: the least noise over long horizons", Law: noise.Gaussian, Small: 8},
			Most:        MaxLeaves, L2: bltL2, Slack: roundingSlack, Layout: newBLTLayout,
		},
	}
}

// How running sums get their noise, for people.
const (
	treeSummary    = "Over the releases stands a binary tree. Every node is the sum of what lies below it, with noise of its own, drawn once; a running sum is made of the nodes that cover it."
	honakerSummary = "Over the releases stands a binary tree. Every node is the sum of what lies below it, with noise of its own, drawn once; a running sum is made of the nodes that cover it, each averaged with what the nodes below it say."
	hybridSummary  = "At every power of two the sum since the one before gets noise, drawn once; in between a binary tree that begins there adds what has come since, with the wider noise that its levels need."
	karySummary    = "Over the releases stands a tree whose nodes have k children each. Every node is the sum of what lies below it, with noise of its own, drawn once; a running sum adds nodes and takes others off, at most (k-1)/2 of a level."
	sqrtSummary    = "Every release draws noise once, for a sum in which earlier ones count less and less; running sums are put together from all of these, so that most of the noise cancels. The weights come from the square root of the matrix that adds up."
	bltSummary     = "Every release draws noise once, for a sum in which earlier ones count less and less; running sums are put together from all of these, so that most of the noise cancels. The weights are sums of a few that decay, kept in as many buffers."
)

// onceL1 and onceL2 count a record that is in one leaf's own sum.
func onceL1(uint64) uint64 { return 1 }

func onceL2(uint64) float64 { return 1 }
