// Package mechanism has the table of the mechanisms that release sums with noise, and the default ones, each and each-gaussian;
// package running registers those for running sums. They get exact sums, so only package dp may run them; other packages find here
// what a mechanism is called and what it draws.
package mechanism

// Mechanism names how the sums of a stream are released.
type Mechanism uint8

// The mechanisms. Those with Laplace noise are pure, δ = 0; those with Gaussian noise have a μ
// and need a budget with δ > 0.
const (
	Tree         Mechanism = iota // running sums by the binary mechanism with Laplace noise; docs/proofs/tree.md
	None                          // running sums without noise, at infinite cost
	TreeGaussian                  // running sums by the binary mechanism with Gaussian noise; docs/proofs/tree.md
	EachLaplace                   // every leaf's own sum with Laplace noise; docs/proofs/each.md
	EachGaussian                  // every leaf's own sum with Gaussian noise; docs/proofs/each.md
	_                             // reserved: honaker, in builds up to 0.1.0
	_                             // reserved: honaker-gaussian, the same
	Hybrid                        // running sums without a horizon, with Laplace noise; docs/proofs/hybrid.md
	Kary                          // running sums in base k with signed digits and Laplace noise; docs/proofs/kary.md
	Sqrt                          // running sums by the square-root factorization with Gaussian noise; docs/proofs/sqrt.md
	BLT                           // running sums by buffered linear Toeplitz factors with Gaussian noise; docs/proofs/blt.md
)
