package mechanism

import (
	"errors"

	"peerd.dev/dp/state"
)

// Limits of a stream. A running sum of MaxRecords records stays within 2^58 and so, with its
// noise, within ±MaxValue.
const (
	MaxLeaves  = 1 << 30
	MaxRecords = 1 << 30
	MaxValue   = 1 << 61
)

// ErrReplay is wrapped by errors about a replay that departs from its record.
var ErrReplay = errors.New("dp: replay differs from its record")

// Stream turns the leaves of one stream into numbers to release. It draws all its noise in Close,
// once, and keeps what it drew:
//
//   - What Close draws are the numbers in node: exact ones, with noise from the [Drawer], or
//     what an earlier life drew. The exact ones must follow from the records by integer
//     arithmetic alone, so that neighbouring records change them by no more than the charge
//     paid for. A mechanism that needs more than sums, such as decaying buffers, keeps them as
//     integers with enough bits behind the point, and bounds in its slack what rounding can add.
//   - The running sum follows from nodes alone. It may be computed in floats whose result is
//     the same on every machine (no fused multiplication and addition: wrap every product in
//     float64()), and is rounded to the grid.
//
// One mechanism, [Kary], also draws noise that is in no node alone; see [Drawer].
//
// The mechanism's [Layout] has the leaves that a node and a sum cover, and the noise in them,
// both for the curator and for checks of a charge.
//
// Saving and loading keep everything: a loaded stream continues as if it had never been saved. An
// impossible state must be refused.
type Stream interface {
	// Close closes leaf a.T and fills node and sum, which have a number for each of a.Sums, or the
	// sum none if the node is the sum. It returns the number of records under
	// the node. After an error, which is an [ErrReplay], the stream must not be used.
	Close(a Leaf, d Drawer, node, sum []int64) (records uint64, err error)
	// Fields visits everything that is not in the leaf, in a new stream when loading.
	Fields(v *state.Visitor, a Leaf, of Charged)
}

// Leaf is the exact leaf that closes, and the position of its stream. It is private.
type Leaf struct {
	T, Horizon uint64  // its number, and the last leaf's
	Sums       []int64 // of its records
	Records    uint64  // in the leaf
	Total      uint64  // in the leaf and all leaves before it
}

// Charged is what a stream's charge states about records and noise.
type Charged struct {
	Lo, Hi int64 // what a record adds to a sum
	Noisy  bool
}

// Holds reports whether a number of records, at most MaxRecords, can have these exact sums.
func (c Charged) Holds(sums []int64, records uint64) bool {
	for _, x := range sums {
		if x < c.Lo*int64(records) || x > c.Hi*int64(records) {
			return false
		}
	}
	return true
}

// Drawer draws the noise of one node or, in a replay, has what an earlier life drew.
type Drawer interface {
	// Noisy returns number i of the node: exact with noise, or the recorded number.
	Noisy(i int, exact int64) int64
	// Recorded returns the numbers of the node if an earlier life drew them; else nil.
	Recorded() []int64
	// Hide returns noise that no node has alone: drawn, or recorded.
	Hide() int64
	// Short reports that less of it was recorded than needed.
	Short() bool
}
