package dp

import (
	"fmt"
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
	maxBound   = 1 << (8 - GridExponent) // 2^8 in grid units
	minCost    = Nano / 1_000_000        // ε of one millionth
)

// Spec describes a group of parallel streams: every record lies in exactly one
// of them, so that together they cost what one costs.
type Spec struct {
	What           string    // in words, for the account
	Streams        int       // in the group
	Dim            int       // of the running sum of each
	Lo, Hi         float64   // to which every entry of a record is clipped
	Leaves         uint64    // the horizon of each stream
	RecordsPerUser uint64    // at most so many records of all streams are one user's
	Mechanism      Mechanism // of each stream
	Epsilon        Cost      // for all records of one user
}

// charge returns what s costs with its streams numbered from first. Bounds off the
// grid are rounded toward zero, as records are, which changes no record: rounding
// is monotone, so clipping before and after it gives the same.
func (s Spec) charge(first StreamID) (Charge, error) {
	lo, err := Quantize(s.Lo, s.Lo, s.Hi)
	if err != nil {
		return Charge{}, fmt.Errorf("dp: %s: %w", s.What, err)
	}
	hi, err := Quantize(s.Hi, s.Lo, s.Hi)
	if err != nil {
		return Charge{}, fmt.Errorf("dp: %s: %w", s.What, err)
	}
	c := Charge{
		What: s.What, Stream: first, Streams: s.Streams, Dim: s.Dim, Lo: lo, Hi: hi, Leaves: s.Leaves,
		RecordsPerUser: s.RecordsPerUser, Mechanism: s.Mechanism, Mode: Once, Cost: s.Epsilon,
	}
	if s.Mechanism == None {
		c.Cost = Infinite
	}
	c.Scale, err = c.scale()
	return c, err
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
func treeScale(c Charge) (uint64, error) {
	delta := uint64(c.Hi-c.Lo) * uint64(c.Dim) // below 2^43
	hi, lo := bits.Mul64(c.RecordsPerUser*bugLevels(levels(c.Leaves)), delta)
	if hi != 0 {
		return 0, fmt.Errorf("dp: %s: sensitivity out of range", c.What)
	}
	hi, lo = bits.Mul64(lo, Nano)
	if hi >= uint64(c.Cost) {
		return 0, fmt.Errorf("dp: %s: noise scale out of range; raise epsilon or lower the records per user", c.What)
	}
	q, rem := bits.Div64(hi, lo, uint64(c.Cost))
	if rem != 0 {
		q++
	}
	if q > MaxScale {
		return 0, fmt.Errorf("dp: %s: noise scale 2^%d grid units, at most 2^%d; raise epsilon or lower the records per user",
			c.What, bits.Len64(q)-1, bits.Len64(MaxScale)-1)
	}
	return q, nil
}
