// Package mechanism has the mechanisms that release sums with noise, one per file, and their
// table. They get exact sums, so only package dp may run them; other packages find here what a
// mechanism is called and what it draws.
package mechanism

import (
	"fmt"
	"strings"

	"peerd.dev/dp/noise"
)

// Mechanism names how the sums of a stream are released.
type Mechanism uint8

// The mechanisms. Those with Laplace noise are pure, δ = 0; those with Gaussian noise have a μ
// and need a budget with δ > 0.
const (
	Tree            Mechanism = iota // running sums by the binary mechanism with Laplace noise; docs/proofs/tree.md
	None                             // running sums without noise, at infinite cost
	TreeGaussian                     // running sums by the binary mechanism with Gaussian noise; docs/proofs/tree.md
	EachLaplace                      // every leaf's own sum with Laplace noise; docs/proofs/each.md
	EachGaussian                     // every leaf's own sum with Gaussian noise; docs/proofs/each.md
	Honaker                          // the binary tree with Laplace noise, sums estimated from below; docs/proofs/honaker.md
	HonakerGaussian                  // the binary tree with Gaussian noise, sums estimated from below; docs/proofs/honaker.md
	Hybrid                           // running sums without a horizon, with Laplace noise; docs/proofs/hybrid.md
	Kary                             // running sums in base k with signed digits and Laplace noise; docs/proofs/kary.md
	Sqrt                             // running sums by the square-root factorization with Gaussian noise; docs/proofs/sqrt.md
	BLT                              // running sums by buffered linear Toeplitz factors with Gaussian noise; docs/proofs/blt.md
)

// Design returns the mechanism's row of the table; ok is false for an unknown one.
func (m Mechanism) Design() (d Design, ok bool) {
	if table := mechanisms(); int(m) < len(table) {
		return table[m], true
	}
	return d, false
}

// All returns all mechanisms, in the order of their numbers.
func All() []Mechanism {
	var list []Mechanism
	for m := range BLT + 1 {
		list = append(list, m)
	}
	return list
}

// Parse returns the mechanism with a name that configurations use.
func Parse(name string) (Mechanism, error) {
	var names []string
	for m, d := range mechanisms() {
		if d.Name == name {
			return Mechanism(m), nil
		}
		names = append(names, d.Name)
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
