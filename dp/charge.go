package dp

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"peerd.dev/dp/account"
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/sample"
)

// ErrUnpaid is wrapped by the errors of [Charge.Covers].
var ErrUnpaid = errors.New("dp: release not paid for")

// ErrNoise is wrapped by the errors of [Charge.Covers] about noise other than charged.
var ErrNoise = errors.New("dp: other noise than was charged")

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

// modeOf returns what a charge for a mechanism pays for.
func modeOf(d *mechanism.Design) ChargeMode {
	if d.Own {
		return Parallel
	}
	return Once
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

// minSigma is the least deviation of Gaussian noise in grid units.
const minSigma = 1 << 10

// Width returns the length of the streams' sums.
func (c *Charge) Width() int { return c.Shape.width(c.Dim) }

// Bounds returns the bounds to which records are clipped: every entry of a Box, or the reward.
func (c *Charge) Bounds() (lo, hi float64) {
	return float64(c.Lo) * unit(GridExponent), float64(c.Hi) * unit(GridExponent)
}

// Check recomputes the noise that the other fields require and refuses a charge with less, and
// one that no [Curator] makes.
func (c Charge) Check() error {
	d, err := c.design()
	if err != nil {
		return err
	}
	if c.Mode != modeOf(d) {
		return fmt.Errorf("dp: %s: charge mode %v for %v", c.What, c.Mode, c.Mechanism)
	}
	if c.Mechanism == None {
		if c.Loss != (account.Loss{Pure: Infinite}) || c.Scale != 0 {
			return fmt.Errorf("dp: %s: %v with noise scale %d, want inf without noise", c.What, c.Loss, c.Scale)
		}
		return nil
	}
	if d.Law == Laplace {
		var scale uint64
		if scale, err = c.laplaceScale(d); err == nil && (c.Scale != scale || c.Loss.Square != 0) {
			err = fmt.Errorf("dp: %s: noise scale %d for %v, want %d", c.What, c.Scale, c.Loss, scale)
		}
		return err
	}
	square, err := c.square(d)
	switch {
	case err != nil:
		return err
	case c.Scale < minSigma || c.Scale > sample.MaxScale:
		return fmt.Errorf("dp: %s: noise scale %d, want %d to %d", c.What, c.Scale, minSigma, uint64(sample.MaxScale))
	case c.Loss.Square < square || c.Loss.Pure != 0:
		return fmt.Errorf("dp: %s: %v for noise of scale %d, which needs mu² %d", c.What, c.Loss, c.Scale, square)
	}
	return nil
}

// Covers returns nil if a release with these fields is what the streams of a charge that passes
// Check draw when they close leaf To, with the charged noise. It cannot detect that the same was
// drawn twice.
func (c *Charge) Covers(f Fields) error { return c.CoversAfter(0, f) }

// CoversAfter is Covers for a stream that last abandoned leaves up to base; see [Curator.Skip].
func (c *Charge) CoversAfter(base uint64, f Fields) error {
	switch {
	case f.Stream < c.Stream || int64(f.Stream-c.Stream) >= int64(c.Streams):
		return fmt.Errorf("%w: stream %d, want %d streams from %d", ErrUnpaid, f.Stream, c.Streams, c.Stream)
	case f.Span.To < 1 || f.Span.To > c.Leaves:
		return fmt.Errorf("%w: leaf %d of stream %d, want 1 to %d", ErrUnpaid, f.Span.To, f.Stream, c.Leaves)
	}
	d, ok := c.Mechanism.Design()
	if !ok {
		return fmt.Errorf("%w: unknown mechanism %v", ErrUnpaid, c.Mechanism)
	}
	if f.Span.From < base || f.Span.To <= base {
		return fmt.Errorf("%w: leaves %d to %d of stream %d, which gave up those up to %d", ErrUnpaid, f.Span.From+1, f.Span.To, f.Stream, base)
	}
	n := d.Layout(c.Leaves).Node(c.noise(), f.Span.To-base)
	n.Span = Span{From: n.Span.From + base, To: n.Span.To + base}
	switch width := n.Times * c.Width(); {
	case f.Span != n.Span:
		return fmt.Errorf("%w: leaves %d to %d are no node, want %d to %d", ErrUnpaid, f.Span.From+1, f.Span.To, n.Span.From+1, n.Span.To)
	case len(f.Value) != width || len(f.Count) != c.Shape.counts() || f.Exponent != GridExponent:
		return fmt.Errorf("%w: %d values of 2^%d and %d counts, want %d of 2^%d and %d", ErrUnpaid, len(f.Value), f.Exponent, len(f.Count), width, GridExponent, c.Shape.counts())
	case f.Noise != n.Noise:
		return fmt.Errorf("%w: %d/%d %v terms of scale %d, want %d/%d %v of %d",
			ErrNoise, f.Noise.VarianceUnits, VarianceScale, f.Noise.Law, f.Noise.Scale, n.Noise.VarianceUnits, VarianceScale, n.Noise.Law, n.Noise.Scale)
	}
	for i, v := range f.Value {
		if !within(v) {
			return fmt.Errorf("%w: value %d is %d, at most %d either way", ErrUnpaid, i, v, int64(MaxValue))
		}
	}
	return nil
}

// SumNoise returns the noise in the sum at leaf t, from 1 to the horizon: the prediction equals
// what a Release states.
func (c *Charge) SumNoise(t uint64) Noise {
	d, _ := c.Mechanism.Design()
	return d.Layout(c.Leaves).Sum(c.noise(), t)
}

// MostNoise returns an upper bound on the noise of a sum over leaves of a charge that passes
// Check, in whichever lives its node closed them: a term for each leaf, each with the greatest
// scale of any node.
func (c *Charge) MostNoise(over Span) Noise {
	d, ok := c.Mechanism.Design()
	if !ok || c.Scale == 0 {
		return Noise{}
	}
	terms := min(over.To-over.From, c.Leaves, math.MaxUint32/VarianceScale)
	return Noise{Law: d.Law, Scale: c.Scale * d.Times(c.Leaves), VarianceUnits: uint32(terms) * VarianceScale}
}

// MostSumNoise returns the greatest moments of the noise in the sums at leaves from one to
// another, within the horizon.
func (c *Charge) MostSumNoise(from, to uint64) (most NoiseMoments) {
	d, _ := c.Mechanism.Design()
	l := d.Layout(c.Leaves)
	for t := from; t <= to; t++ {
		most = most.Max(l.Sum(c.noise(), t).Moments(unit(GridExponent)))
	}
	return most
}

// noise returns one term of the charged noise.
func (c *Charge) noise() Noise {
	if c.Scale == 0 {
		return Noise{}
	}
	return Noise{Law: c.Mechanism.Law(), Scale: c.Scale, VarianceUnits: VarianceScale}
}

// design returns the mechanism's row if all its arguments are within limits.
func (c *Charge) design() (*mechanism.Design, error) {
	d, ok := c.Mechanism.Design()
	switch {
	case !ok:
		return nil, fmt.Errorf("dp: %s: unknown mechanism %v", c.What, c.Mechanism)
	case c.Streams < 1 || c.Streams > MaxLen || uint64(c.Stream)+uint64(c.Streams) > 1<<32:
		return nil, fmt.Errorf("dp: %s: %d streams from %d, want 1 to %d", c.What, c.Streams, c.Stream, MaxLen)
	case c.Shape > Counted || c.Adjacency > AddOrRemove:
		return nil, fmt.Errorf("dp: %s: unknown %v or %v", c.What, c.Shape, c.Adjacency)
	case (c.Shape == Counted) != (c.Adjacency == AddOrRemove):
		return nil, fmt.Errorf("dp: %s: %v records under %v; what is added or removed is %v, and nothing else", c.What, c.Shape, c.Adjacency, Counted)
	case c.Shape == Counted && c.Dim != 1:
		return nil, fmt.Errorf("dp: %s: dimension %d of a %v record, want 1", c.What, c.Dim, c.Shape)
	case c.Dim < 1 || c.Dim > MaxLen || c.Width() > MaxLen:
		return nil, fmt.Errorf("dp: %s: dimension %d of a %v record, want 1 up to %d sums", c.What, c.Dim, c.Shape, MaxLen)
	case d.Keeps && uint64(c.Streams*c.Width())*c.Leaves > maxKept:
		return nil, fmt.Errorf("dp: %s: %d sums of %d leaves, and %v keeps at most %d together", c.What, c.Streams*c.Width(), c.Leaves, c.Mechanism, maxKept)
	case c.Streams*c.Width() > maxSums:
		return nil, fmt.Errorf("dp: %s: %d streams of %d sums, at most %d together", c.What, c.Streams, c.Width(), maxSums)
	case c.Shape.linear() && d.Law != Gaussian && c.Mechanism != None:
		return nil, fmt.Errorf("dp: %s: %v records need Gaussian noise", c.What, c.Shape)
	case c.Lo >= c.Hi || c.Lo < -maxBound || c.Hi > maxBound:
		return nil, fmt.Errorf("dp: %s: bounds %d to %d grid units, want lo < hi within ±%d", c.What, c.Lo, c.Hi, maxBound)
	case c.Shape.linear() && (c.Lo < -1<<-GridExponent || c.Hi > 1<<-GridExponent):
		return nil, fmt.Errorf("dp: %s: rewards of %d to %d grid units, want them within ±1", c.What, c.Lo, c.Hi)
	case c.Leaves < 1 || c.Leaves > d.Most:
		return nil, fmt.Errorf("dp: %s: horizon of %d leaves, want 1 to %d for %v", c.What, c.Leaves, d.Most, c.Mechanism)
	case d.Layout(c.Leaves).Node(Noise{}, 1<<(bits.Len64(c.Leaves)-1)).Times*c.Width() > MaxLen:
		return nil, fmt.Errorf("dp: %s: %d sums over %d leaves, whose nodes take more than %d values", c.What, c.Width(), c.Leaves, MaxLen)
	case c.RecordsPerUser < 1 || c.RecordsPerUser > 1<<20:
		return nil, fmt.Errorf("dp: %s: %d records per user, want 1 to %d", c.What, c.RecordsPerUser, 1<<20)
	}
	return &d, nil
}

// laplaceScale returns the scale of Laplace noise in grid units, rounded up:
//
//	k · l1 · Δ / ε,  Δ = change · dim in L1 on the grid,
//
// where k is the number of records of one user. It is computed in integers, so that the promise
// does not depend on the rounding of floats.
func (c *Charge) laplaceScale(d *mechanism.Design) (uint64, error) {
	if c.Loss.Pure < minCost || c.Loss.Pure == Infinite {
		return 0, fmt.Errorf("dp: %s: epsilon %v, want a finite number from %v", c.What, c.Loss.Pure, Cost(minCost))
	}
	delta := c.Change() * uint64(c.Dim) // below 2^43
	hi, lo := bits.Mul64(c.RecordsPerUser*bugLevels(d.L1(c.Leaves)), delta)
	if hi != 0 {
		return 0, fmt.Errorf("dp: %s: sensitivity out of range", c.What)
	}
	hi, lo = bits.Mul64(lo, Nano)
	if hi >= uint64(c.Loss.Pure) {
		return 0, fmt.Errorf("dp: %s: noise scale out of range; raise epsilon or lower the records per user", c.What)
	}
	q, rem := bits.Div64(hi, lo, uint64(c.Loss.Pure))
	if rem != 0 {
		q++
	}
	if widest := d.Times(c.Leaves); q > sample.MaxScale/widest {
		return 0, fmt.Errorf("dp: %s: noise scale 2^%d grid units, at most 2^%d; raise epsilon or lower the records per user",
			c.What, bits.Len64(q*widest)-1, bits.Len64(sample.MaxScale)-1)
	}
	return q, nil
}

// norm bounds the L2 norm of the change, in grid units, of all drawn values through all records
// of one user.
func (c *Charge) norm(d *mechanism.Design) float64 {
	norm := float64(c.RecordsPerUser) * c.l2() * math.Sqrt(bugLevels(d.L2(c.Leaves))) * (1 + 0x1p-50)
	if d.Slack != nil { // for every stream in which the user has a record
		norm += d.Slack(c.Leaves, c.Width()) * math.Sqrt(float64(min(c.RecordsPerUser, uint64(c.Streams))))
	}
	return norm * (1 + 0x1p-50)
}

// square returns the μ² of Gaussian noise of the charge's scale: of the continuous distribution,
// than which discrete noise is no worse; see docs/proofs/lattice.md.
func (c *Charge) square(d *mechanism.Design) (account.Square, error) {
	loss, err := account.Gaussian(c.norm(d), float64(c.Scale)*(1-0x1p-17))
	if err != nil {
		return 0, fmt.Errorf("dp: %s: %w", c.What, err)
	}
	return loss.Square, nil
}
