package dp

import (
	"fmt"
	"math"
	"math/bits"
)

// Mechanism names how a running sum is released.
type Mechanism uint8

// The mechanisms.
const (
	// Tree is the binary mechanism of Chan, Shi and Song with Laplace noise in
	// every node; see docs/proofs/tree.md. Its guarantee is pure: δ = 0.
	Tree Mechanism = iota
	// None adds no noise. It costs [Infinite].
	None
)

// String returns the name that configurations use.
func (m Mechanism) String() string {
	switch m {
	case Tree:
		return "tree"
	case None:
		return "none"
	}
	return fmt.Sprintf("Mechanism(%d)", uint8(m))
}

// Limits of a Spec. A running sum of maxRecords records stays within 2^58 grid
// units and so, with its noise, within [MaxValue].
const (
	MaxLeaves  = 1 << 30
	maxRecords = 1 << 30
	maxBound   = 1 << 8
	minCost    = Nano / 1_000_000 // ε of one millionth
)

func (s Spec) check() error {
	switch {
	case s.Streams < 1 || s.Streams > MaxLen:
		return fmt.Errorf("dp: %s: %d streams, want 1 to %d", s.What, s.Streams, MaxLen)
	case s.Dim < 1 || s.Dim > MaxLen:
		return fmt.Errorf("dp: %s: dimension %d, want 1 to %d", s.What, s.Dim, MaxLen)
	case !(s.Lo < s.Hi) || math.Abs(s.Lo) > maxBound || math.Abs(s.Hi) > maxBound:
		return fmt.Errorf("dp: %s: bounds %v to %v, want lo < hi within ±%d", s.What, s.Lo, s.Hi, maxBound)
	case s.Leaves < 1 || s.Leaves > MaxLeaves:
		return fmt.Errorf("dp: %s: horizon of %d leaves, want 1 to %d", s.What, s.Leaves, MaxLeaves)
	case s.RecordsPerUser < 1 || s.RecordsPerUser > 1<<20:
		return fmt.Errorf("dp: %s: %d records per user, want 1 to %d", s.What, s.RecordsPerUser, 1<<20)
	case s.Mechanism != Tree && s.Mechanism != None:
		return fmt.Errorf("dp: %s: unknown mechanism %v", s.What, s.Mechanism)
	case s.Mechanism == Tree && (s.Epsilon < minCost || s.Epsilon == Infinite):
		return fmt.Errorf("dp: %s: epsilon %v, want a finite number from %v", s.What, s.Epsilon, Cost(minCost))
	}
	return nil
}

// levels returns in how many nodes of a tree over leaves one leaf can lie: leaf
// 1 lies in nodes 1, 2, 4, … up to the greatest power of two that is reached.
func levels(leaves uint64) uint64 { return uint64(bits.Len64(leaves)) }

// treeScale returns the Laplace scale of every node in grid units, rounded up:
//
//	k · levels · Δ / ε,  Δ = (hi-lo)·dim in L1 under replace-one, on the grid,
//
// where k is the number of records of one user. It is computed in integers, so
// the promise does not rest on a float's rounding.
func treeScale(s Spec) (uint64, error) {
	least, err := Quantize(s.Lo, s.Lo, s.Hi)
	if err != nil {
		return 0, err
	}
	most, err := Quantize(s.Hi, s.Lo, s.Hi)
	if err != nil {
		return 0, err
	}
	delta := uint64(most-least) * uint64(s.Dim) // Quantize is monotone: no two records differ by more
	hi, lo := bits.Mul64(s.RecordsPerUser*levels(s.Leaves), delta)
	if hi != 0 {
		return 0, fmt.Errorf("dp: %s: sensitivity out of range", s.What)
	}
	hi, lo = bits.Mul64(lo, Nano)
	if hi >= uint64(s.Epsilon) {
		return 0, fmt.Errorf("dp: %s: noise scale out of range; raise epsilon or lower the records per user", s.What)
	}
	q, rem := bits.Div64(hi, lo, uint64(s.Epsilon))
	if rem != 0 {
		q++
	}
	if q > MaxScale {
		return 0, fmt.Errorf("dp: %s: noise scale 2^%d grid units, at most 2^%d; raise epsilon or lower the records per user",
			s.What, bits.Len64(q)-1, bits.Len64(MaxScale)-1)
	}
	return q, nil
}
