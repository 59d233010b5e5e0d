package dp

import (
	"fmt"
	"math"

	"peerd.dev/dp/account"
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/state"
)

// ChargeMode says what a charge pays for when its streams open.
type ChargeMode uint8

// The modes.
const (
	// Once pays for a horizon of releases, of which each may include a record; releases beyond it
	// are refused.
	Once ChargeMode = iota
	// Parallel pays for a horizon of releases of which each record is in one, so the charge is
	// the one of the most expensive release.
	Parallel
	// 2 was for releases that paid one by one. No program set it.
)

// String returns the name that ledgers use.
func (m ChargeMode) String() string {
	switch m {
	case Once:
		return "once"
	case Parallel:
		return "parallel"
	}
	return fmt.Sprintf("ChargeMode(%d)", uint8(m))
}

// A Charge is one line of a node's privacy account. It contains, in integers, everything that a
// verifier needs to recompute the noise and to determine which releases were paid for. Everything
// in it is public.
type Charge struct {
	What           string       // the streams in words
	Stream         StreamID     // the first stream that the charge opens
	Streams        int          // how many; parallel, since a record is in one of them
	Shape          Shape        // what a record is
	Dim            int          // entries or features of every record
	Lo, Hi         int64        // bounds to which entries or rewards are clipped, in units of 2^GridExponent
	Leaves         uint64       // the horizon of each stream
	RecordsPerUser uint64       // at most this number of records in all the streams belong to one user
	Adjacency      Adjacency    // how neighbours differ
	Mechanism      Mechanism    // of each stream
	Mode           ChargeMode   // what it pays for
	Loss           account.Loss // of all that the streams release, for all records of one user
	Scale          uint64       // of the noise, in grid units; 0 without noise. A node's noise is derived from it
}

// Change returns by how much neighbours differ in one number of a Box, in grid units, or in both
// sums of a Counted record together.
func (c *Charge) Change() uint64 {
	if c.Adjacency == ZeroOut {
		return uint64(max(c.Hi, -c.Hi, c.Lo, -c.Lo))
	}
	return uint64(c.Hi - c.Lo)
}

// EntryBounds returns the bounds of entry i of what a record adds to the sums.
func (c *Charge) EntryBounds(i int) (lo, hi float64) {
	lo, hi = c.Bounds()
	switch most := max(-lo, hi); {
	case c.Shape == Box:
		return lo, hi
	case c.Shape == Counted:
		return 0, hi - lo
	case i >= c.Dim*(c.Dim+1)/2+c.Dim: // y²
		return 0, most * most
	case i >= c.Dim*(c.Dim+1)/2: // xy
		if c.Shape == Corner {
			most *= math.Sqrt2
		}
		return -most, most
	}
	for row := c.Dim; row > 0 && i > 0; row-- {
		i -= row
	}
	if i == 0 { // on the diagonal
		return 0, 1
	}
	return -math.Sqrt2 / 2, math.Sqrt2 / 2
}

// l2 bounds the L2 norm of the difference of neighbours through one record, in grid units. The
// squares for Linear and Corner are 2 and 4 under ZeroOut. Under ReplaceOne they are 4.5, reached
// at x·x′ = -1/2 and yy′ = 1, where (x·x′)² + yy′(x·x′) is least, and 8, reached if the vectors
// [x y] are orthogonal. Rounding toward zero moves every entry of either record by less than one
// unit, in either direction.
func (c *Charge) l2() float64 {
	width := float64(c.Width())
	if c.Shape == Counted { // if y is Lo or Hi, one sum gets all of it; nothing is rounded
		return float64(c.Change())
	}
	if c.Shape == Box {
		return float64(c.Change()) * math.Sqrt(width) * (1 + 0x1p-50)
	}
	square := map[Shape][2]float64{Linear: {4.5, 2}, Corner: {8, 4}}[c.Shape][c.Adjacency]
	return (math.Sqrt(square)*(1<<-GridExponent) + math.Sqrt(width)) * (1 + 0x1p-49)
}

// charged returns the part of the charge that mechanisms get.
func (c *Charge) charged() mechanism.Charged {
	of := mechanism.Charged{Lo: c.Lo, Hi: c.Hi, Noisy: c.Scale != 0}
	switch c.Shape {
	case Box:
	case Counted:
		of.Lo, of.Hi = 0, c.Hi-c.Lo
	case Linear, Corner:
		of.Lo, of.Hi = -2<<-GridExponent, 2<<-GridExponent
	}
	return of
}

// Width returns the length of the streams' sums.
func (c *Charge) Width() int { return c.Shape.width(c.Dim) }

// Bounds returns the bounds to which records are clipped: every entry of a Box, or the reward.
func (c *Charge) Bounds() (lo, hi float64) {
	return float64(c.Lo) * unit(GridExponent), float64(c.Hi) * unit(GridExponent)
}

// fields visits everything except the first stream, which follows from earlier charges.
func (c *Charge) fields(v *state.Visitor) {
	v.String(&c.What)
	state.Number(v, &c.Streams)
	state.Number(v, &c.Shape)
	state.Number(v, &c.Dim)
	v.Int(&c.Lo)
	v.Int(&c.Hi)
	v.Uint(&c.Leaves)
	v.Uint(&c.RecordsPerUser)
	state.Number(v, &c.Adjacency)
	state.Number(v, &c.Mechanism)
	state.Number(v, &c.Mode)
	state.Number(v, &c.Loss.Pure)
	state.Number(v, &c.Loss.Square)
	v.Uint(&c.Scale)
}
