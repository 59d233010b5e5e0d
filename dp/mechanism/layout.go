package mechanism

import "peerd.dev/dp/noise"

// Layout describes what a mechanism over some number of leaves releases: for the curator that
// draws, and for checks and predictions of charges.
type Layout interface {
	// Node returns what closing leaf t draws.
	Node(charged noise.Noise, t uint64) Node
	// Sum returns the noise in the t-th sum.
	Sum(charged noise.Noise, t uint64) noise.Noise
	// Open returns the mechanism of a stream of sums of width numbers, which has closed no leaf.
	Open(width int) Stream
}

// Node is what the closing of one leaf draws.
type Node struct {
	Span  Span
	Noise noise.Noise // in the value of each sum
}

// Span is the interval of leaves that a release is about: From < leaf ≤ To.
type Span struct{ From, To uint64 }
