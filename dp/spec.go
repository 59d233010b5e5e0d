package dp

import (
	"fmt"

	"peerd.dev/dp/account"
	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/sample"
)

// Spec describes a group of parallel streams: every record is in exactly one of them, so that
// together they cost as much as one.
type Spec struct {
	What           string    // description for the account
	Streams        int       // in the group
	Shape          Shape     // of each stream
	Dim            int       // entries of a record, or features
	Lo, Hi         float64   // bounds to which every entry of a Box, or the reward, is clipped
	Leaves         uint64    // the horizon of each stream
	RecordsPerUser uint64    // at most this number of records in all streams belong to one user
	Adjacency      Adjacency // how neighbouring histories differ
	Mechanism      Mechanism // of each stream
	Epsilon        Cost      // for all records of one user
	Delta          float64   // with Gaussian noise, in addition to Epsilon; above 0
	// Sigma is the deviation of Gaussian noise in every number that is drawn, in the units of sums; 0
	// for the least that Epsilon and Delta pay for. The charge is the μ of the noise, whatever it is.
	Sigma float64
}

// Charge returns the cost of s, with its streams numbered from 0. A [Curator] that opens s
// charges the same.
func (s Spec) Charge() (Charge, error) { return s.charge(0) }

// charge returns the cost of s with its streams numbered from first. Bounds off the grid are
// rounded toward zero, like records, which changes no record: rounding is monotone, so clipping
// before and after it gives the same.
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
		What: s.What, Stream: first, Streams: s.Streams, Shape: s.Shape, Dim: s.Dim, Lo: lo, Hi: hi, Leaves: s.Leaves,
		RecordsPerUser: s.RecordsPerUser, Adjacency: s.Adjacency, Mechanism: s.Mechanism,
	}
	d, err := c.design()
	if err != nil {
		return Charge{}, err
	}
	c.Mode = modeOf(d)
	switch {
	case s.Mechanism == None:
		c.Loss.Pure = Infinite
	case d.Law == Laplace:
		c.Loss.Pure = s.Epsilon
		c.Scale, err = c.laplaceScale(d)
	default:
		if c.Scale, err = c.gaussianScale(d, s); err == nil {
			c.Loss.Square, err = c.square(d)
		}
	}
	return c, err
}

// gaussianScale returns the deviation of the noise in grid units, a thousandth too large: the
// exact curve is for the continuous distribution, from which a lattice differs by less if the
// deviation has at least minSigma units.
func (c *Charge) gaussianScale(d *mechanism.Design, s Spec) (uint64, error) {
	sigma, err := c.sigma(d, s)
	if err != nil {
		return 0, fmt.Errorf("dp: %s: %w", c.What, err)
	}
	units := sigma * 1.001
	if !(units >= 0 && units <= sample.MaxScale) {
		return 0, fmt.Errorf("dp: %s: a noise of %.3g grid units, want 0 to 2^40; raise epsilon or delta or lower the records per user", c.What, units)
	}
	return max(uint64(units)+1, minSigma), nil
}

// sigma returns the deviation in grid units: by the exact curve for everything that a user's records
// move together, or the Spec's own.
func (c *Charge) sigma(d *mechanism.Design, s Spec) (float64, error) {
	if s.Sigma != 0 {
		return s.Sigma * (1 << -GridExponent), nil
	}
	sigma, err := account.Sigma(s.Epsilon.Float(), s.Delta, 1)
	return sigma * c.norm(d), err
}
