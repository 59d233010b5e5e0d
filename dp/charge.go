package dp

import (
	"errors"
	"fmt"
)

// ErrUnpaid is wrapped by the errors of [Charge.Covers].
var ErrUnpaid = errors.New("dp: release not paid for")

// ChargeMode says what a charge pays for.
type ChargeMode uint8

// Once is paid when the stream opens: the horizon is charged then; its releases cost
// nothing more and are refused past it.
const Once ChargeMode = 0

// A Charge is one line of a node's privacy account. It holds, in integers, all
// that a verifier needs to compute the noise anew and to tell which releases were
// paid for. Everything in it is public.
type Charge struct {
	What           string     // the streams in words
	Stream         StreamID   // the first stream that the charge opens
	Streams        int        // how many; parallel, since a record lies in one of them
	Dim            int        // of every record
	Lo, Hi         int64      // to which every entry of a record is clipped, in units of 2^GridExponent
	Leaves         uint64     // the horizon of each stream
	RecordsPerUser uint64     // at most so many records of all the streams are one user's
	Mechanism      Mechanism  // of each stream
	Mode           ChargeMode // when it is paid
	Cost           Cost       // of everything the streams will ever release, for all records of one user
	Scale          uint64     // of the Laplace noise in every node, in grid units; 0 without noise
}

// Check computes the noise anew that the other fields need and refuses a charge
// with another, and one that no [Door] makes.
func (c Charge) Check() error {
	if c.Mode != Once {
		return fmt.Errorf("dp: %s: unknown charge mode %d", c.What, c.Mode)
	}
	scale, err := c.scale()
	if err != nil {
		return err
	}
	if c.Scale != scale {
		return fmt.Errorf("dp: %s: noise scale %d for epsilon %v, want %d", c.What, c.Scale, c.Cost, scale)
	}
	return nil
}

// Covers reports, as a nil error, that r is a node as the streams of a charge that
// passes Check release it: one that closing leaf To completes, with the charged
// noise. It cannot tell whether the same node was drawn twice.
func (c Charge) Covers(r Release) error {
	terms := uint32(1)
	if c.Scale == 0 {
		terms = 0
	}
	switch {
	case r.stream < c.Stream || int64(r.stream-c.Stream) >= int64(c.Streams):
		return fmt.Errorf("%w: stream %d, want %d streams from %d", ErrUnpaid, r.stream, c.Streams, c.Stream)
	case r.span.To < 1 || r.span.To > c.Leaves:
		return fmt.Errorf("%w: leaf %d, want 1 to %d", ErrUnpaid, r.span.To, c.Leaves)
	case r.span.From != r.span.To&(r.span.To-1):
		return fmt.Errorf("%w: leaves %d to %d are no node", ErrUnpaid, r.span.From+1, r.span.To)
	case len(r.v) != c.Dim || len(r.count) != 1 || r.e != GridExponent:
		return fmt.Errorf("%w: %d values of 2^%d and %d counts, want %d of 2^%d and 1", ErrUnpaid, len(r.v), r.e, len(r.count), c.Dim, GridExponent)
	case r.scale != c.Scale || r.terms != terms:
		return fmt.Errorf("%w: %d noise terms of scale %d, want %d of %d", ErrUnpaid, r.terms, r.scale, terms, c.Scale)
	}
	return nil
}

// scale returns the noise that the other fields need, if they are within limits.
func (c Charge) scale() (uint64, error) {
	switch {
	case c.Streams < 1 || c.Streams > MaxLen || uint64(c.Stream)+uint64(c.Streams) > 1<<32:
		return 0, fmt.Errorf("dp: %s: %d streams from %d, want 1 to %d", c.What, c.Streams, c.Stream, MaxLen)
	case c.Dim < 1 || c.Dim > MaxLen:
		return 0, fmt.Errorf("dp: %s: dimension %d, want 1 to %d", c.What, c.Dim, MaxLen)
	case c.Lo >= c.Hi || c.Lo < -maxBound || c.Hi > maxBound:
		return 0, fmt.Errorf("dp: %s: bounds %d to %d grid units, want lo < hi within ±%d", c.What, c.Lo, c.Hi, maxBound)
	case c.Leaves < 1 || c.Leaves > MaxLeaves:
		return 0, fmt.Errorf("dp: %s: horizon of %d leaves, want 1 to %d", c.What, c.Leaves, MaxLeaves)
	case c.RecordsPerUser < 1 || c.RecordsPerUser > 1<<20:
		return 0, fmt.Errorf("dp: %s: %d records per user, want 1 to %d", c.What, c.RecordsPerUser, 1<<20)
	}
	switch c.Mechanism {
	case Tree:
		if c.Cost < minCost || c.Cost == Infinite {
			return 0, fmt.Errorf("dp: %s: epsilon %v, want a finite number from %v", c.What, c.Cost, Cost(minCost))
		}
		return treeScale(c)
	case None:
		if c.Cost != Infinite {
			return 0, fmt.Errorf("dp: %s: epsilon %v without noise, want inf", c.What, c.Cost)
		}
		return 0, nil
	}
	return 0, fmt.Errorf("dp: %s: unknown mechanism %v", c.What, c.Mechanism)
}
