package dp

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"peerd.dev/dp/mechanism"
	"peerd.dev/internal/require"
)

// design returns the row of a mechanism.
func design(m Mechanism) mechanism.Design {
	d, _ := m.Design()
	return d
}

// eachMechanism calls f with a spec of every mechanism of the table.
func eachMechanism(t *testing.T, leaves uint64, f func(t *testing.T, s Spec)) {
	t.Helper()
	for _, m := range Mechanisms() {
		t.Run(m.String(), func(t *testing.T) { f(t, mechanismSpec(m, leaves)) })
	}
}

// mechanismSpec returns streams of a mechanism with a budget of ε = 1.
func mechanismSpec(m Mechanism, leaves uint64) Spec {
	s := spec(leaves, m)
	if m.Law() == Gaussian {
		s.Delta = 1e-6
	}
	return s
}

// record returns the record of leaf k, on the grid so that sums are exact.
func record(k uint64) float64 { return float64(k%5) / 4 }

// TestTilesAddUp: adjacent nodes add up to the running sum, exactly, for mechanisms that say so,
// and for no others.
func TestTilesAddUp(t *testing.T) {
	const leaves = 100
	eachMechanism(t, leaves, func(t *testing.T, s Spec) {
		d := open(t, s, seeded(1))
		var nodes []Release
		tiles := s.Mechanism.Running()
		for k := uint64(1); k <= leaves; k++ {
			require.NoError(t, d.Add(0, []float64{record(k)}))
			l := require.Value(d.Leaf(0, k))(t)
			for len(nodes) > 0 && nodes[len(nodes)-1].span.From >= l.Node.span.From {
				nodes = nodes[:len(nodes)-1]
			}
			nodes = append(nodes, l.Node)
			sum := int64(0)
			for _, n := range nodes {
				sum += n.v[0]
			}
			tiles = tiles && sum == l.Sum.v[0]
		}
		if tiles != s.Mechanism.Tiles() {
			t.Errorf("nodes add up: %v", tiles)
		}
	})
}

// TestNoMechanismReleasesPastItsHorizon or out of order, and none opens for more leaves than it
// can.
func TestNoMechanismReleasesPastItsHorizon(t *testing.T) {
	eachMechanism(t, 5, func(t *testing.T, s Spec) {
		d := open(t, s, seeded(1))
		if _, err := d.Leaf(0, 2); !errors.Is(err, ErrLeaf) {
			t.Errorf("leaf 2 first: %v", err)
		}
		for k := uint64(1); k <= 5; k++ {
			require.Value(d.Leaf(0, k))(t)
		}
		if _, err := d.Leaf(0, 6); !errors.Is(err, ErrHorizon) {
			t.Errorf("leaf 6 of 5: %v", err)
		}
		s.Leaves = design(s.Mechanism).Most + 1
		if _, err := d.Open(s); err == nil {
			t.Errorf("opened for %d leaves", s.Leaves)
		}
	})
}

// TestAMechanismIsAsItIsCharged: every charge passes its check, covers every node and nothing
// with other noise; sums state the predicted noise.
func TestAMechanismIsAsItIsCharged(t *testing.T) {
	eachMechanism(t, 100, func(t *testing.T, s Spec) {
		s.Dim = 3
		d := open(t, s, seeded(2))
		c := d.TakeCharges()[0]
		require.NoError(t, c.Check())
		if ok, err := d.Budget().Covers(c.Loss); err != nil || !ok {
			t.Errorf("%v of %v: %v", c.Loss, d.Budget(), err)
		}
		for k := uint64(1); k <= s.Leaves; k++ {
			require.NoError(t, d.Add(0, []float64{record(k), 0, 1}))
			l := require.Value(d.Leaf(0, k))(t)
			require.NoError(t, c.Covers(l.Node.Fields()))
			if got, want := l.Sum.Noise(), c.SumNoise(k); got != want {
				t.Fatalf("leaf %d says noise %+v, predicted %+v", k, got, want)
			}
			if l.Sum.Len() != 3 || l.Sum.Count(0) != k && s.Mechanism.Running() {
				t.Fatalf("leaf %d: %+v", k, l.Sum)
			}
		}
		for _, change := range []func(*Charge){
			func(c *Charge) { c.Leaves *= 4 }, func(c *Charge) { c.RecordsPerUser++ }, func(c *Charge) { c.Hi *= 2 }, func(c *Charge) { c.Dim++ },
		} {
			forged := c
			change(&forged)
			l1 := design(s.Mechanism).L1
			free := s.Mechanism == None || forged.Leaves != c.Leaves && (!s.Mechanism.Running() || l1 != nil && l1(forged.Leaves) == l1(c.Leaves))
			if err := forged.Check(); err == nil && !free {
				t.Errorf("%+v passes with the noise of %+v", forged, c)
			}
		}
	})
}

// TestEmpiricalVariance compares the prediction for every sum with the noise of 2000 streams. The
// mean of the squares of n Laplace numbers has a relative deviation of √(5/n), so it is within 4
// % of its expectation on average over the leaves. PEERD_VARIANCE sets other leaves and streams,
// such as "4096 4000".
func TestEmpiricalVariance(t *testing.T) {
	leaves, streams := uint64(200), 2000
	if s := os.Getenv("PEERD_VARIANCE"); s != "" {
		if _, err := fmt.Sscan(s, &leaves, &streams); err != nil {
			t.Fatalf("PEERD_VARIANCE is %q, want leaves and streams: %v", s, err)
		}
	}
	eachMechanism(t, leaves, func(t *testing.T, s Spec) {
		s.Streams = streams
		d := open(t, s, seeded(3))
		c := d.TakeCharges()[0]
		var ratios float64
		exact := int64(0)
		for k := uint64(1); k <= leaves; k++ {
			q, _ := Quantize(record(k), 0, 1)
			if exact += q; !s.Mechanism.Running() {
				exact = q
			}
			var mean, square float64
			for i := range StreamID(streams) {
				require.NoError(t, d.Add(i, []float64{record(k)}))
				l := require.Value(d.Leaf(i, k))(t)
				z := float64(l.Sum.Value(0) - exact)
				mean += z / float64(streams)
				square += z * z / float64(streams)
			}
			d.TakeDrawn()
			want := c.SumNoise(k).Moments(unit(0)).Variance()
			if s.Mechanism == None {
				if square != 0 {
					t.Fatalf("leaf %d: noise", k)
				}
				ratios++
				continue
			}
			if math.Abs(mean) > 5*math.Sqrt(want/float64(streams)) {
				t.Errorf("leaf %d: mean noise %.3g, deviation %.3g", k, mean, math.Sqrt(want))
			}
			if r := square / want; r < .75 || r > 1.3 {
				t.Errorf("leaf %d: variance %.4g, predicted %.4g", k, square, want)
			}
			ratios += square / want
		}
		t.Logf("%v, %d leaves, %d streams: variance over prediction %.4f on average", s.Mechanism, leaves, streams, ratios/float64(leaves))
		if r := ratios / float64(leaves); math.Abs(r-1) > .04 {
			t.Errorf("variance over prediction: %.3f on average", r)
		}
	})
}

// TestNoRecordMovesMoreThanIsCharged plays neighbouring inputs with the same noise, so that what
// is drawn differs by the records, and adds up the differences in the measure of the noise:
// |x|/scale, or x²/scale².
func TestNoRecordMovesMoreThanIsCharged(t *testing.T) {
	for _, leaves := range []uint64{1, 2, 3, 8, 13, 64} {
		eachMechanism(t, leaves, func(t *testing.T, s Spec) {
			if s.Mechanism == None || drawsAhead(s.Mechanism) {
				return
			}
			s.Dim, s.RecordsPerUser = 2, 2
			for at := uint64(1); at <= leaves; at++ {
				// Two records of one user: in one leaf, or in this one and the next.
				for _, second := range []uint64{at, at + 1} {
					play := func(x float64) []Release {
						d := open(t, s, seeded(4))
						for k := uint64(1); k <= leaves; k++ {
							for _, mine := range []bool{k == at, k == second} {
								if mine {
									require.NoError(t, d.Add(0, []float64{x, x}))
								}
							}
							require.Value(d.Leaf(0, k))(t)
						}
						return slices.Clone(d.TakeDrawn())
					}
					one, other := play(0), play(1)
					if err := covered(s, one, other); err != nil {
						t.Errorf("records in leaves %d and %d of %d: %v", at, second, leaves, err)
					}
				}
			}
		})
	}
}

// covered returns an error if what two runs with the same noise drew differs by more, in the
// noise's measure, than the charge pays for.
func covered(s Spec, one, other []Release) error {
	c, err := s.charge(0)
	if err != nil {
		return err
	}
	var l1, square float64
	for i := range one {
		for j := range one[i].v {
			x := float64(one[i].v[j]-other[i].v[j]) / float64(one[i].noise.Scale)
			l1 += math.Abs(x)
			square += x * x
		}
	}
	switch law := s.Mechanism.Law(); {
	case law == Laplace && l1 > c.Loss.Pure.Float()*(1+1e-12):
		return fmt.Errorf("%v: ε %.6g, charged %v", s.Mechanism, l1, c.Loss)
	case law == Gaussian && square > float64(c.Loss.Square)/Nano:
		return fmt.Errorf("%v: μ² %.6g, charged %v", s.Mechanism, square, c.Loss)
	}
	return nil
}

// drawsAhead reports whether what a mechanism draws includes later leaves; its own tests check
// what a record moves.
func drawsAhead(m Mechanism) bool { return m.Describe().SharesNoise }

// TestRecordsOfLinearBandits: no pair of records, as far apart as records can be, moves the sums
// by more than l2, and some come close.
func TestRecordsOfLinearBandits(t *testing.T) {
	for _, kind := range []Shape{Linear, Corner} {
		for _, adjacency := range []Adjacency{ReplaceOne, ZeroOut} {
			t.Run(fmt.Sprint(kind, adjacency), func(t *testing.T) {
				c := Charge{Shape: kind, Dim: 2, Lo: -1 << 20, Hi: 1 << 20, Adjacency: adjacency}
				vector := func(angle, length, y float64) []int64 {
					v := make([]int64, c.Width())
					require.NoError(t, kind.Quantize(v, []float64{length * math.Cos(angle), length * math.Sin(angle), y}, -1, 1))
					return v
				}
				most := 0.0
				for i := range 181 {
					for _, y := range []float64{-1, -.5, 0, 1, 7} {
						for _, length := range []float64{.7, 1, 1e300} {
							a, b := vector(float64(i)*math.Pi/90, length, y), vector(0, 1, 1)
							if adjacency == ZeroOut {
								clear(b)
							}
							sum := 0.0
							for j := range a {
								sum += float64((a[j] - b[j]) * (a[j] - b[j]))
							}
							most = max(most, math.Sqrt(sum))
						}
					}
				}
				if bound := c.l2(); most > bound || most < bound*.9999 {
					t.Errorf("moved by %v units, bound %v", most, bound)
				}
			})
		}
	}
	var to [5]int64
	for _, x := range [][]float64{{math.NaN(), 0, 0}, {0, math.Inf(1), 0}, {0, 0, math.Inf(-1)}} {
		if err := Linear.Quantize(to[:], x, 0, 1); !errors.Is(err, ErrNotFinite) {
			t.Errorf("%v: %v", x, err)
		}
	}
}
