package dp

import (
	"errors"
	"fmt"
	"math"
)

// ErrUnpaid is wrapped by the errors of [Charge.Covers].
var ErrUnpaid = errors.New("dp: release not paid for")

// ErrNoise is wrapped by the errors of [Charge.Covers] about noise other than charged.
var ErrNoise = errors.New("dp: other noise than was charged")

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
	switch width := c.Width(); {
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
