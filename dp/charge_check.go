package dp

import (
	"fmt"
	"math"
	"math/bits"

	"peerd.dev/dp/account"
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/sample"
)

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

// modeOf returns what a charge for a mechanism pays for.
func modeOf(d *mechanism.Design) ChargeMode {
	if d.Own {
		return Parallel
	}
	return Once
}

// design returns the mechanism's row if all its arguments are within limits.
func (c *Charge) design() (*mechanism.Design, error) {
	d, ok := c.Mechanism.Design()
	switch {
	case !ok:
		return nil, fmt.Errorf("dp: %s: unknown mechanism %v, or one whose package the program does not import", c.What, c.Mechanism)
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
	hi, lo := bits.Mul64(c.RecordsPerUser*d.L1(c.Leaves), delta)
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
	norm := float64(c.RecordsPerUser) * c.l2() * math.Sqrt(d.L2(c.Leaves)) * (1 + 0x1p-50)
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
