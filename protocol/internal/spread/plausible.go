package spread

import (
	"math"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// improbable bounds the probability with which an honest number is refused.
const improbable = 1e-15

// Plausible refuses sums that an honest peer with the charge c does not release: sums with less
// noise than was charged, with more noise than their leaves can have, or with a value that rewards
// within bounds and such noise give with a probability of at most [improbable]. Each sum has a
// count, or all share one, or records are counted. Sums that pass may still be lies.
func Plausible(c *dp.Charge, m *protocol.Message, sums *dp.Release) error {
	noise, over := sums.Noise(), sums.Span()
	most := c.MostNoise(over)
	switch {
	case sums.Exponent() != dp.GridExponent: // the charged scale is in units of the grid
		return m.Refuse("a lattice of 2^%d, want 2^%d", sums.Exponent(), dp.GridExponent)
	case c.Scale == 0 && noise.Scale != 0:
		return m.Refuse("noise of scale %d, and the policy is none", noise.Scale)
	case c.Scale > 0 && (noise.Law != c.Mechanism.Law() || noise.Scale < c.Scale || noise.VarianceUnits < dp.VarianceScale):
		return m.Refuse("%d/%d %v terms of scale %d are less noise than one %v term of scale %d, which every sum has under the policy",
			noise.VarianceUnits, dp.VarianceScale, noise.Law, noise.Scale, c.Mechanism.Law(), c.Scale)
	case noise.Scale > most.Scale || noise.VarianceUnits > most.VarianceUnits:
		return m.Refuse("%d/%d %v terms of scale %d are more noise than %d leaves have under the policy, at most one term of scale %d each",
			noise.VarianceUnits, dp.VarianceScale, noise.Law, noise.Scale, over.To-over.From, most.Scale)
	}
	for k := range sums.Counts() {
		if n := sums.Count(k); n > MostRecords {
			return m.Refuse("part %d: %d rewards, want at most %d", k, n, uint64(MostRecords))
		}
	}
	return PlausibleValues(c, m, sums)
}

// PlausibleValues refuses sums with a value that rewards within bounds, and noise as declared, give with a probability of at
// most [improbable].
func PlausibleValues(c *dp.Charge, m *protocol.Message, sums *dp.Release) error {
	moments := sums.NoiseMoments()
	tail := belief.NoiseTail(moments.LaplaceSumSq, moments.LaplaceMax, moments.GaussVar, math.Log(2/improbable))
	for k := range sums.Len() {
		sum := sums.At(k)
		if c.Shape == dp.Counted { // sums of distances from a bound
			if sum < -tail {
				return m.Refuse("value %d: %v, and no value is below 0 without noise of at most %.3g", k, sum, tail)
			}
			continue
		}
		count, entry := k, 0
		if sums.Counts() == 1 { // one count for all sums of a part
			count, entry = 0, k
		}
		lo, hi := c.EntryBounds(entry)
		if n := float64(sums.Count(count)); sum < n*lo-tail || sum > n*hi+tail {
			return m.Refuse("part %d: no %d rewards from %v to %v add up to %v with noise of at most %.3g",
				k, sums.Count(count), lo, hi, sum, tail)
		}
	}
	return nil
}

// MostRecords is how many records of an arm a site can have: ten thousand a second for three years.
const MostRecords = 1 << 40

// Sound refuses a row other than a sum of width values over leaves of a cadence, with one count.
func (s *Totals) Sound(m *protocol.Message, width int, c protocol.Cadence) error {
	if m.Body() != 1 {
		return m.Refuse("%d sums, want one", m.Body())
	}
	if c.Window == 0 && windowOf(m.Label()) > 0 {
		return m.Refuse("of window %d, and nothing is forgotten", windowOf(m.Label()))
	}
	x := m.Release(0)
	if x.Stream() != m.Label().Stream || x.Len() != width || x.Counts() != 1 || x.Count(0) == 0 || x.Exponent() != dp.GridExponent {
		return m.Refuse("want %d sums of part %d", width, m.Label().Stream)
	}
	if err := Plausible(&s.C.Charge, m, x); err != nil {
		return err
	}
	return PlausibleLeaves(&s.C.Charge, m, x, c)
}

// PlausibleLeaves refuses a sum whose number of draws does not fit its number of records.
func PlausibleLeaves(charge *dp.Charge, m *protocol.Message, x *dp.Release, c protocol.Cadence) error {
	// A life closes its leaves in order, and every leaf has a record and a draw.
	over, n, draws := LeavesOf(x), x.Count(0), uint64(x.Noise().VarianceUnits)
	if !charge.Mechanism.Running() && (draws != over*dp.VarianceScale || over < c.Fewest(n) || over > n) {
		return m.Refuse("%d rewards in %d leaves with %d/%d draws of noise, want %d to %d leaves with a draw each",
			n, over, draws, dp.VarianceScale, c.Fewest(n), n)
	}
	return nil
}
