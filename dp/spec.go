package dp

import (
	"fmt"

	"peerd.dev/dp/account"
)

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
	What           string      // in words, for the account
	Streams        int         // in the group
	Record         Record      // of each stream
	Dim            int         // entries of a record, or features
	Lo, Hi         float64     // to which every entry of a Box, or the reward, is clipped
	Leaves         uint64      // the horizon of each stream
	RecordsPerUser uint64      // at most so many records of all streams are one user's; with Sequential, of every leaf
	Adjacency      Adjacency   // of neighbouring histories
	Mechanism      Mechanism   // of each stream
	Sequential     bool        // every leaf pays for itself, when it closes
	Epsilon        Cost        // for all records of one user; with Sequential, for one leaf
	Delta          float64     // with Gaussian noise, beside Epsilon; above 0
	Calibration    Calibration // of Gaussian noise
}

// Calibration says by which formula Gaussian noise is made for (ε, δ).
type Calibration uint8

// The calibrations. What is charged is the μ of the noise, whichever made it.
const (
	Tight Calibration = iota // the exact curve
	Paper                    // ρ = ε²/4(ln(1/δ)+ε), as papers on linear bandits print it; see [account.Papers]
)

// String returns the name that configurations use.
func (k Calibration) String() string {
	if k == Paper {
		return "paper"
	}
	return "tight"
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
		What: s.What, Stream: first, Streams: s.Streams, Record: s.Record, Dim: s.Dim, Lo: lo, Hi: hi, Leaves: s.Leaves,
		RecordsPerUser: s.RecordsPerUser, Adjacency: s.Adjacency, Mechanism: s.Mechanism,
	}
	d, err := c.design()
	if err != nil {
		return Charge{}, err
	}
	if c.Mode = d.mode; s.Sequential {
		if d.mode != Parallel {
			return Charge{}, fmt.Errorf("dp: %s: leaves of %v do not pay one by one", s.What, s.Mechanism)
		}
		c.Mode = Sequential
	}
	switch {
	case s.Mechanism == None:
		c.Loss.Pure = Infinite
	case d.law == Laplace:
		c.Loss.Pure = s.Epsilon
		c.Scale, err = c.laplaceScale(d)
	default:
		if c.Scale, err = c.gaussianScale(d, s); err == nil {
			c.Loss.Square, err = c.square(d)
		}
	}
	return c, err
}

// gaussianScale returns the deviation of the noise in grid units, a thousandth too
// large: the exact curve is that of the continuous law, to which a lattice of at least
// minSigma units a deviation comes closer than that.
func (c *Charge) gaussianScale(d *design, s Spec) (uint64, error) {
	by := account.Analytic
	if s.Calibration == Paper {
		by = account.Papers
	}
	sigma, err := by.Sigma(s.Epsilon.Float(), s.Delta, 1)
	if err != nil {
		return 0, fmt.Errorf("dp: %s: %w", c.What, err)
	}
	units := c.norm(d) * sigma * 1.001
	if !(units <= MaxScale) {
		return 0, fmt.Errorf("dp: %s: a noise of %.3g grid units, at most 2^40; raise epsilon or delta or lower the records per user", c.What, units)
	}
	return max(uint64(units)+1, minSigma), nil
}
