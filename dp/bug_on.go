//go:build auditbug

package dp

import (
	"math"

	"peerd.dev/dp/state"
)

// Bug names the fault that is compiled in. Tests set it, or -ldflags "-X
// peerd.dev/dp.Bug=halved".
var Bug string //nolint:gochecknoglobals // only with the tag

// bug is the fault of one stream's noise.
type bug struct {
	before int64   // drawn last
	exact  []int64 // the sums of all closed leaves together; nil before the first
}

// take records the sums of a leaf.
func (b *bug) take(sum []int64) {
	if b.exact == nil {
		b.exact = make([]int64, len(sum))
	}
	for i, x := range sum {
		b.exact[i] += x
	}
}

// noise returns the faulty noise of leaf t instead of the drawn one.
func (b *bug) noise(t uint64, drawn int64) int64 {
	before := b.before
	b.before = drawn
	switch {
	case Bug == "halved":
		return drawn / 2
	case Bug == "first" && t == 1:
		return 0
	case Bug == "reused" && t%2 == 0 && before != 0:
		return before
	}
	return drawn
}

// bugRedraw makes a restart draw again what was drawn.
func bugRedraw() bool { return Bug == "redrawn" }

// fields keeps it over a restart.
func (b *bug) fields(v *state.Visitor) {
	if n := v.Len(len(b.exact)); v.Loading() && n > 0 {
		b.exact = make([]int64, n)
	}
	v.Vector(b.exact, math.MaxInt64)
}

// bugLevels leaves one level unpaid, like the ceiling of the binary logarithm: 1 of the L1 norm,
// or of the square of the L2 norm, of what a record moves.
func bugLevels[N uint64 | float64](norm N) N {
	if Bug == "levels" && norm > 1 {
		return max(1, norm-1)
	}
	return norm
}

// bugAdjacency pays for omitted records, like proofs that count 1 for each of xxᵀ and xy.
func bugAdjacency(a Adjacency) Adjacency {
	if Bug == "adjacency" {
		return ZeroOut
	}
	return a
}

// Raw returns the exact sums of stream s, the number of their records, and whether the first sum
// of the open leaf is not 0.
func (d *Curator) Raw(s StreamID) (sums []float64, n uint64, open bool) {
	in := d.streams[s]
	sums = make([]float64, len(in.leaf))
	for i, x := range in.leaf {
		if in.bug.exact != nil {
			x += in.bug.exact[i]
		}
		sums[i] = float64(x) * unit(GridExponent)
	}
	return sums, in.total + in.open, in.leaf[0] != 0
}
