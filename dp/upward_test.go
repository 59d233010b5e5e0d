package dp

import (
	"errors"
	"math"
	"testing"

	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
)

// distance returns the distance of the sums of two histories.
func distance(a, b []int64) float64 {
	sum := 0.0
	for j := range a {
		sum += float64((a[j] - b[j]) * (a[j] - b[j]))
	}
	return math.Sqrt(sum)
}

// TestRoundingOfLinearRecordsIsCharged: after rounding to the grid, some pairs of records are
// farther apart than any two are before, by up to a few units. The bound has room for that.
func TestRoundingOfLinearRecordsIsCharged(t *testing.T) {
	c := Charge{Shape: Linear, Dim: 2, Lo: -1 << 20, Hi: 1 << 20}
	before, most := math.Sqrt(4.5)*(1<<20), 0.0
	vector := func(angle float64) []int64 {
		v := make([]int64, c.Width())
		require.NoError(t, c.Shape.Quantize(v, []float64{math.Cos(angle), math.Sin(angle), 1}, -1, 1))
		return v
	}
	for i := range 200_000 { // x·x′ = -1/2, where records are farthest apart
		angle := float64(i) * 1e-5
		most = max(most, distance(vector(angle), vector(angle+2*math.Pi/3)))
	}
	if bound := c.l2(); most < before+.2 || most > bound {
		t.Errorf("moved by %.3f units more than %.3f, bound %.3f more", most-before, before, bound-before)
	}
	if room := math.Sqrt(float64(c.Width())); c.l2() < before+room || c.l2() > before+room+.01 {
		t.Errorf("bound %v, want %v and %v of rounding", c.l2(), before, room)
	}
}

// TestARecordLeftOutMovesByItsLongerSide: omitted records move sums by the bound that is farther
// from 0.
func TestARecordLeftOutMovesByItsLongerSide(t *testing.T) {
	for _, b := range [][2]float64{{-3, 1}, {-1, 3}, {-3, -1}, {1, 3}, {-2, 2}, {0, 1}, {-1, 0}} {
		for _, m := range []Mechanism{Tree, EachLaplace, TreeGaussian, Kary} {
			s := mechanismSpec(m, 1)
			s.Lo, s.Hi, s.Adjacency = b[0], b[1], ZeroOut
			c := require.Value(s.charge(0))(t)
			moved := 0.0
			for _, x := range b { // the extreme records, and one that adds nothing
				q := require.Value(Quantize(x, s.Lo, s.Hi))(t)
				moved = max(moved, math.Abs(float64(q)))
			}
			loss := account.Loss{Pure: Cost(math.Ceil(moved / float64(c.Scale) * Nano))}
			if m.Law() == Gaussian {
				loss = account.Loss{Square: account.Square(math.Ceil(moved * moved / float64(c.Scale) / float64(c.Scale) * Nano))}
			}
			if c.Loss.Pure < loss.Pure || c.Loss.Square < loss.Square {
				t.Errorf("%v of records from %v to %v: %v is charged, and one costs %v", m, b[0], b[1], c.Loss, loss)
			}
			less := c
			less.Scale /= 2
			if less.Check() == nil {
				t.Errorf("%v of records from %v to %v: half the noise passes", m, b[0], b[1])
			}
			// Reversed bounds cost the same.
			s.Lo, s.Hi = -b[1], -b[0]
			if turned, err := s.charge(0); err != nil || turned.Loss != c.Loss || turned.Scale != c.Scale {
				t.Errorf("%v: %+v turned round is %+v, %v", m, c, turned, err)
			}
		}
	}
}

// latticeDelta returns δ(ε) of discrete Gaussian noise of deviation sigma on a number that is
// moved by delta, from its definition: Σ max(0, P(z) - e^ε·P(z-delta)).
func latticeDelta(sigma, delta, epsilon float64) float64 {
	law := func(z float64) float64 { return math.Exp(-z * z / (2 * sigma * sigma)) }
	total, sum := 0.0, 0.0
	for z := -12 * sigma; z <= 12*sigma+delta; z++ {
		total += law(z)
		sum += max(0, law(z)-math.Exp(epsilon)*law(z-delta))
	}
	return sum / total
}

// TestTheLatticeIsPaidFor: the curve of μ of continuous noise can be below the curve of the noise
// that is drawn, and is at the least deviation; the charge is above both, and Check accepts no
// less. See docs/proofs/lattice.md.
func TestTheLatticeIsPaidFor(t *testing.T) {
	s := mechanismSpec(EachGaussian, 1)
	s.Hi = 1. / (1 << 10)
	c, err := s.charge(0)
	if err != nil {
		t.Fatal(err)
	}
	c.Scale = minSigma
	d := design(EachGaussian)
	c.Loss.Square = require.Value(c.square(&d))(t)
	epsilon := 4 + .5/minSigma // between two values of the likelihood ratio
	drawn := latticeDelta(minSigma, float64(c.Change()), epsilon)
	continuous := require.Value(account.Mu(float64(c.Change()) / minSigma).Delta(epsilon))(t)
	charged := require.Value(c.Loss.Delta(epsilon))(t)
	if continuous > drawn*(1-5e-7) || charged < drawn || charged > drawn*1.001 {
		t.Errorf("δ is %v with the noise that is drawn, %v with continuous noise; %v is charged", drawn, continuous, charged)
	}
	require.NoError(t, c.Check())
	c.Loss.Square--
	if c.Check() == nil {
		t.Error("a charge without room for the lattice passes")
	}
}

// TestNoiseBelowTheLeastDeviationIsRefused: the proof of the lattice holds from minSigma on,
// whatever is charged.
func TestNoiseBelowTheLeastDeviationIsRefused(t *testing.T) {
	s := mechanismSpec(TreeGaussian, 1)
	s.Hi = 1. / (1 << 12)
	c := require.Value(s.charge(0))(t)
	c.Loss.Square = Nano * Nano // more than any of these needs
	for scale, ok := range map[uint64]bool{minSigma: true, minSigma - 1: false, minSigma / 2: false, 1: false, 0: false} {
		if c.Scale = scale; (c.Check() == nil) != ok {
			t.Errorf("noise of deviation %d: %v", scale, c.Check())
		}
	}
}

// TestGivingUpLeavesDropsWhatWaited: a stream whose next leaf covers only itself drops the open
// leaf when leaves are abandoned, since a lost life may have released it.
func TestGivingUpLeavesDropsWhatWaited(t *testing.T) {
	for _, m := range Mechanisms() {
		if m == None || m == Tree || m == TreeGaussian { // its new node covers the lost leaves
			continue
		}
		play := func(waits bool) Release {
			s := mechanismSpec(m, 16)
			d := open(t, s, seeded(1))
			for k := uint64(1); k <= 2; k++ {
				require.Value(d.Leaf(0, k))(t)
			}
			if waits {
				require.NoError(t, d.Add(0, []float64{1}))
			}
			next, err := d.Skip(0, 5)
			if err != nil || next != 6 {
				t.Fatalf("%v: next leaf %d, %v", m, next, err)
			}
			l := require.Value(d.Leaf(0, next))(t)
			return l.Node
		}
		if with, without := play(true), play(false); !with.Equal(without) {
			t.Errorf("%v: a record that waited when leaves were given up is in leaf 6", m)
		}
	}
}

// TestRecordsOfAStreamAreBounded: sums stay in range since a stream accepts at most maxRecords,
// in closed leaves and the open one together.
func TestRecordsOfAStreamAreBounded(t *testing.T) {
	for _, dim := range []int{1, 3} {
		s := spec(8, Tree)
		s.Dim = dim
		d := open(t, s, seeded(1))
		a := &d.streams[0].accumulator
		for _, at := range [][2]uint64{{maxRecords - 1, 0}, {0, maxRecords - 1}, {maxRecords / 2, maxRecords/2 - 1}} {
			a.total, a.open = at[0], at[1]
			if err := d.Add(0, make([]float64, dim)); err != nil {
				t.Fatalf("record %d: %v", a.total+a.open, err)
			}
			if err := d.Add(0, make([]float64, dim)); !errors.Is(err, ErrOverflow) || a.total+a.open != maxRecords {
				t.Errorf("record %d: %v, want %v", a.total+a.open+1, err, ErrOverflow)
			}
		}
	}
}
