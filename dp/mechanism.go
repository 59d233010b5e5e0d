package dp

import (
	"fmt"
	"strings"
)

// Mechanism names how the sums of a stream are released.
type Mechanism uint8

// The mechanisms. Those with Laplace noise are pure, δ = 0; those with Gaussian noise
// have a μ and need a budget with δ > 0.
const (
	Tree            Mechanism = iota // running sums by the binary mechanism with Laplace noise; docs/proofs/tree.md
	None                             // running sums without noise, at infinite cost
	TreeGaussian                     // running sums by the binary mechanism with Gaussian noise; docs/proofs/tree.md
	EachLaplace                      // every leaf's own sum with Laplace noise; docs/proofs/each.md
	EachGaussian                     // every leaf's own sum with Gaussian noise; docs/proofs/each.md
	Honaker                          // the binary tree with Laplace noise, sums estimated from below; docs/proofs/honaker.md
	HonakerGaussian                  // the binary tree with Gaussian noise, sums estimated from below; docs/proofs/honaker.md
	Hybrid                           // running sums without a horizon, with Laplace noise; docs/proofs/hybrid.md
	Kary                             // running sums in base k with digits of either sign and Laplace noise; docs/proofs/kary.md
	Sqrt                             // running sums by the square-root factorization with Gaussian noise; docs/proofs/sqrt.md
	BLT                              // running sums by buffered linear Toeplitz factors with Gaussian noise; docs/proofs/blt.md
)

// design is what there is to know about a mechanism.
type design struct {
	name string
	law  Law
	mode ChargeMode
	// most is the greatest horizon, for what it keeps or computes.
	most uint64
	// l1 bounds the L1 norm of what one record of norm 1 changes in all that a stream of n
	// leaves draws noise on, for Laplace noise; l2 is the square of the L2 norm, for
	// Gaussian noise.
	l1 func(n uint64) uint64
	l2 func(n uint64) float64
	// slack is what rounding adds to that L2 norm, in grid units; nil for nothing.
	slack func(n uint64, width int) float64
	// widest is how many times the charged scale a node of n leaves can have; nil for 1.
	widest func(n uint64) uint64
	// sum is the noise in the t-th sum of a stream of n leaves, with the charged noise.
	sum func(charged Noise, n, t uint64) Noise
	// node is what closing leaf t draws.
	node func(charged Noise, n, t uint64) node
	open func(intake, *Charge) running
	// skips says that a stream can pass over leaves that are given up; others begin anew.
	skips bool
	// goesOn is [Charge.GoesOn] where some leaves are given up; nil for any leaf.
	goesOn func(before, next uint64) bool
	// tiles is [Mechanism.Tiles].
	tiles bool
	// keeps says that a stream keeps the sums of all its leaves.
	keeps bool
}

// times returns how many times the charged scale the noise of a node can have.
func (d *design) times(n uint64) uint64 {
	if d.widest == nil {
		return 1
	}
	return d.widest(n)
}

// node is what the closing of one leaf draws: the leaves it is about, how many values
// for every sum, and their noise.
type node struct {
	span  Span
	times int
	noise Noise
}

// mechanisms is the table. A mechanism enters it when it passes the tests of
// mechanism_test.go.
//
//nolint:gochecknoglobals // a table, never written
var mechanisms = map[Mechanism]*design{
	Tree:         {name: "tree", law: Laplace, most: MaxLeaves, l1: levels, sum: treeSum, node: treeNode, open: newTree, tiles: true, skips: true, goesOn: treeGoesOn},
	None:         {name: "none", law: Laplace, most: MaxLeaves, sum: noSum, node: treeNode, open: newTree, tiles: true, skips: true, goesOn: treeGoesOn},
	TreeGaussian: {name: "tree-gaussian", law: Gaussian, most: MaxLeaves, l2: levelsSquared, sum: treeSum, node: treeNode, open: newTree, tiles: true, skips: true, goesOn: treeGoesOn},
	EachLaplace: {
		name: "each", law: Laplace, mode: Parallel, most: MaxLeaves,
		l1: func(uint64) uint64 { return 1 }, sum: oneSum, node: eachNode, open: newEach, skips: true,
	},
	EachGaussian: {
		name: "each-gaussian", law: Gaussian, mode: Parallel, most: MaxLeaves,
		l2: func(uint64) float64 { return 1 }, sum: oneSum, node: eachNode, open: newEach, skips: true,
	},
	Honaker:         {name: "honaker", law: Laplace, most: MaxLeaves, l1: levels, sum: honakerSum, node: honakerNode, open: newHonaker},
	HonakerGaussian: {name: "honaker-gaussian", law: Gaussian, most: MaxLeaves, l2: levelsSquared, sum: honakerSum, node: honakerNode, open: newHonaker},
	Hybrid: {
		name: "hybrid", law: Laplace, most: MaxLeaves,
		l1: hybridL1, widest: hybridWidest, sum: hybridSum, node: hybridNode, open: newHybrid, tiles: true,
	},
	Kary: {name: "kary", law: Laplace, most: MaxLeaves, l1: karyL1, sum: karySum, node: karyNode, open: newKary, tiles: true},
	Sqrt: {
		name: "sqrt", law: Gaussian, most: maxSqrtLeaves,
		l2: rootL2, slack: roundingSlack, sum: rootSum, node: prefixNode, open: newRoot, keeps: true,
	},
	BLT: {name: "blt", law: Gaussian, most: MaxLeaves, l2: bltL2, slack: roundingSlack, sum: bltSum, node: prefixNode, open: newBLT},
}

// Mechanisms returns all mechanisms, in the order of their numbers.
func Mechanisms() []Mechanism {
	list := make([]Mechanism, 0, len(mechanisms))
	for m := Mechanism(0); len(list) < len(mechanisms); m++ {
		if mechanisms[m] != nil {
			list = append(list, m)
		}
	}
	return list
}

// ParseMechanism returns the mechanism of a name that configurations use.
func ParseMechanism(name string) (Mechanism, error) {
	var names []string
	for _, m := range Mechanisms() {
		if m.String() == name {
			return m, nil
		}
		names = append(names, m.String())
	}
	return 0, fmt.Errorf("dp: mechanism %q, want one of %s", name, strings.Join(names, ", "))
}

// String returns the name that configurations use.
func (m Mechanism) String() string {
	if d := mechanisms[m]; d != nil {
		return d.name
	}
	return fmt.Sprintf("Mechanism(%d)", uint8(m))
}

// Law returns the law of the noise.
func (m Mechanism) Law() Law {
	if d := mechanisms[m]; d != nil {
		return d.law
	}
	return Laplace
}

// Running reports whether a leaf releases the sum of all leaves so far, not its own.
func (m Mechanism) Running() bool {
	d := mechanisms[m]
	return d != nil && d.mode == Once
}

// Tiles reports whether a running sum is the sum of the newest nodes that lie side by side
// from the first leaf to the last: a new node takes the place of those that it reaches back
// over.
func (m Mechanism) Tiles() bool {
	d := mechanisms[m]
	return d != nil && d.tiles
}

func noSum(Noise, uint64, uint64) Noise { return Noise{} }

func oneSum(charged Noise, _, _ uint64) Noise { return charged }
