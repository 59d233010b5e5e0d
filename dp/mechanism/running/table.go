// Package running has the mechanisms that release running sums, one per file, and registers them: tree, hybrid, kary, sqrt and blt,
// and none, which adds no noise.
package running

import (
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/noise"
	"peerd.dev/internal/vouch"
)

func init() {
	mechanism.Register(mechanism.Tree, vouch.For(mechanism.Design{
		Description: mechanism.Description{Family: "tree", Summary: treeSummary, Suits: "papers that use it", Papers: true, Law: noise.Laplace, Small: 8},
		Most:        mechanism.MaxLeaves, L1: levels, Layout: newTreeLayout, Tiles: true,
	}))
	mechanism.Register(mechanism.None, vouch.For(mechanism.Design{
		Description: mechanism.Description{Family: "none", Suits: "worlds without people", Law: noise.Laplace, Small: 8},
		Most:        mechanism.MaxLeaves, Layout: newTreeLayout, Tiles: true,
	}))
	mechanism.Register(mechanism.TreeGaussian, vouch.For(mechanism.Design{
		Description: mechanism.Description{Family: "tree", Summary: treeSummary, Suits: "papers that use it", Papers: true, Law: noise.Gaussian, Small: 8},
		Most:        mechanism.MaxLeaves, L2: levelsSquared, Layout: newTreeLayout, Tiles: true,
	}))
	mechanism.Register(mechanism.Hybrid, vouch.For(mechanism.Design{
		Description: mechanism.Description{Family: "hybrid", Summary: hybridSummary, Suits: "papers that use it", Papers: true, Law: noise.Laplace, Small: 8},
		Most:        mechanism.MaxLeaves, L1: hybridL1, Widest: hybridWidest, Layout: newHybridLayout, Tiles: true,
	}))
	mechanism.Register(mechanism.Kary, vouch.For(mechanism.Design{
		Description: mechanism.Description{
			Family: "kary", Summary: karySummary, Suits: "delta = 0: the least noise of those", Law: noise.Laplace,
			SharesNoise: true, Small: 40, // fewer leaves have one level, and no nodes of later leaves
		},
		Most: mechanism.MaxLeaves, L1: karyL1, Layout: newKaryLayout, Tiles: true,
	}))
	mechanism.Register(mechanism.Sqrt, vouch.For(mechanism.Design{
		Description: mechanism.Description{Family: "sqrt", Summary: sqrtSummary, Suits: "comparison with blt, whose limit it is", Papers: true, Law: noise.Gaussian, Small: 8},
		Most:        maxSqrtLeaves, L2: rootL2, Slack: roundingSlack, Layout: newRootLayout, Keeps: true,
	}))
	mechanism.Register(mechanism.BLT, vouch.For(mechanism.Design{
		Description: mechanism.Description{Family: "blt", Summary: bltSummary, Suits: "a small delta: the least noise over long horizons", Law: noise.Gaussian, Small: 8},
		Most:        mechanism.MaxLeaves, L2: bltL2, Slack: roundingSlack, Layout: newBLTLayout,
	}))
}

// How running sums get their noise, for people.
const (
	treeSummary   = "Over the releases stands a binary tree. Every node is the sum of what lies below it, with noise of its own, drawn once; a running sum is made of the nodes that cover it."
	hybridSummary = "At every power of two the sum since the one before gets noise, drawn once; in between a binary tree that begins there adds what has come since, with the wider noise that its levels need."
	karySummary   = "Over the releases stands a tree whose nodes have k children each. Every node is the sum of what lies below it, with noise of its own, drawn once; a running sum adds nodes and takes others off, at most (k-1)/2 of a level."
	sqrtSummary   = "Every release draws noise once, for a sum in which earlier ones count less and less; running sums are put together from all of these, so that most of the noise cancels. The weights come from the square root of the matrix that adds up."
	bltSummary    = "Every release draws noise once, for a sum in which earlier ones count less and less; running sums are put together from all of these, so that most of the noise cancels. The weights are sums of a few that decay, kept in as many buffers."
)
