package mechanism

import (
	"fmt"
	"strings"

	"peerd.dev/dp/noise"
)

// mechanisms is the table, by number; reserved numbers have no name. A mechanism enters it when it
// passes the tests of mechanism_test.go.
func mechanisms() [BLT + 1]Design {
	return [...]Design{
		Tree: {
			Description: Description{Name: "tree", Family: "tree", Summary: treeSummary, Suits: "papers that use it", Papers: true, Law: noise.Laplace, Small: 8},
			Most:        MaxLeaves, L1: levels, Layout: newTreeLayout, tiles: true,
		},
		None: {
			Description: Description{Name: "none", Family: "none", Suits: "worlds without people", Law: noise.Laplace, Small: 8},
			Most:        MaxLeaves, Layout: newTreeLayout, tiles: true,
		},
		TreeGaussian: {
			Description: Description{Name: "tree-gaussian", Family: "tree", Summary: treeSummary, Suits: "papers that use it", Papers: true, Law: noise.Gaussian, Small: 8},
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
		Hybrid: {
			Description: Description{Name: "hybrid", Family: "hybrid", Summary: hybridSummary, Suits: "papers that use it", Papers: true, Law: noise.Laplace, Small: 8},
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
			Description: Description{Name: "sqrt", Family: "sqrt", Summary: sqrtSummary, Suits: "comparison with blt, whose limit it is", Papers: true, Law: noise.Gaussian, Small: 8},
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
	treeSummary   = "Over the releases stands a binary tree. Every node is the sum of what lies below it, with noise of its own, drawn once; a running sum is made of the nodes that cover it."
	hybridSummary = "At every power of two the sum since the one before gets noise, drawn once; in between a binary tree that begins there adds what has come since, with the wider noise that its levels need."
	karySummary   = "Over the releases stands a tree whose nodes have k children each. Every node is the sum of what lies below it, with noise of its own, drawn once; a running sum adds nodes and takes others off, at most (k-1)/2 of a level."
	sqrtSummary   = "Every release draws noise once, for a sum in which earlier ones count less and less; running sums are put together from all of these, so that most of the noise cancels. The weights come from the square root of the matrix that adds up."
	bltSummary    = "Every release draws noise once, for a sum in which earlier ones count less and less; running sums are put together from all of these, so that most of the noise cancels. The weights are sums of a few that decay, kept in as many buffers."
)

// onceL1 and onceL2 count a record that is in one leaf's own sum.
func onceL1(uint64) uint64 { return 1 }

func onceL2(uint64) float64 { return 1 }

// Design returns the mechanism's row of the table; ok is false for an unknown or a reserved number.
func (m Mechanism) Design() (d Design, ok bool) {
	if table := mechanisms(); int(m) < len(table) {
		d = table[m]
	}
	return d, d.Name != ""
}

// All returns all mechanisms, in the order of their numbers.
func All() []Mechanism {
	var list []Mechanism
	for m, d := range mechanisms() {
		if d.Name != "" {
			list = append(list, Mechanism(m))
		}
	}
	return list
}

// Parse returns the mechanism with a name that configurations use.
func Parse(name string) (Mechanism, error) {
	var names []string
	for _, m := range All() {
		if m.String() == name {
			return m, nil
		}
		names = append(names, m.String())
	}
	return 0, fmt.Errorf("dp: mechanism %q, want one of %s", name, strings.Join(names, ", "))
}

// Describe returns the mechanism's description; empty for an unknown one.
func (m Mechanism) Describe() Description {
	d, _ := m.Design()
	return d.Description
}

// String returns the name that configurations use.
func (m Mechanism) String() string {
	if d, ok := m.Design(); ok {
		return d.Name
	}
	return fmt.Sprintf("Mechanism(%d)", uint8(m))
}

// Law returns the distribution of the noise.
func (m Mechanism) Law() noise.Law { return m.Describe().Law }

// Running reports whether a leaf releases the sum of all leaves so far, not its own.
func (m Mechanism) Running() bool {
	d, ok := m.Design()
	return ok && !d.Own
}

// Tiles reports whether a running sum is the sum of the newest nodes that are adjacent from the
// first leaf to the last: a new node replaces those that it covers.
func (m Mechanism) Tiles() bool {
	d, _ := m.Design()
	return d.tiles
}
