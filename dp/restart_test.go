package dp

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestAStreamBeginsAnewAfterALostLife: it continues after the abandoned leaves, on top of the
// last sum, without the records of the open leaf. Its nodes are like a new stream's, shifted; its
// noise adds to the old sum's. A saved stream continues the same.
func TestAStreamBeginsAnewAfterALostLife(t *testing.T) {
	for _, m := range factored {
		t.Run(m.String(), func(t *testing.T) {
			s := mechanismSpec(m, 20)
			d := open(t, s, seeded(1))
			c := d.TakeCharges()[0]
			leaf := func(k uint64) Leaf {
				t.Helper()
				require.NoError(t, d.Add(0, []float64{1}))
				l := require.Value(d.Leaf(0, k))(t)
				d.TakeDrawn()
				return *l
			}
			reload := func() {
				t.Helper()
				state := require.Value(d.Save())(t)
				d = open(t, s, seeded(2))
				d.TakeCharges()
				require.NoError(t, d.Load(state))
			}
			leaf(1)
			old := leaf(2)
			if err := d.Add(0, []float64{1}); err != nil { // is abandoned
				t.Fatal(err)
			}
			for _, k := range []uint64{0, 2} {
				if next, err := d.Skip(0, k); err != nil || next != 3 {
					t.Fatalf("%d lost: next is %d, %v", k, next, err)
				}
			}
			if next, err := d.Skip(0, 7); err != nil || next != 8 {
				t.Fatalf("7 lost: next is %d, %v", next, err)
			}
			reload()
			for k := uint64(1); k <= 7; k++ {
				if _, err := d.Leaf(0, k); !errors.Is(err, ErrLeaf) || !strings.HasSuffix(err.Error(), fmt.Sprintf("leaf %d of stream 0, next is 8", k)) {
					t.Fatalf("leaf %d, which is given up: %v", k, err)
				}
			}
			first := leaf(8)
			reload()
			for k, l := uint64(1), first; ; k, l = k+1, leaf(8+k) {
				require.NoError(t, c.CoversAfter(7, l.Node.Fields()))
				if c.Covers(l.Node.Fields()) == nil && l.Node.Span().From < 7 {
					t.Fatalf("%+v is taken for a node of a stream that gave nothing up", l.Node)
				}
				if l.Sum.Span() != (Span{From: 0, To: 7 + k}) || l.Sum.Count(0) != 2+k {
					t.Fatalf("%+v after %d new records", l.Sum, k)
				}
				want := c.SumNoise(k).Moments(unit(0)).Variance() + old.Sum.NoiseMoments().Variance()*math.Pow(2, -2*GridExponent)
				if got := l.Sum.noise.Moments(unit(0)).Variance(); got < want*(1-1e-9) || got > want*1.01 {
					t.Fatalf("leaf %d: variance %.4g, want %.4g", 7+k, got, want)
				}
				// The exact sum is the sum of the remaining records: the noise is no more than
				// chance allows, the old and the new one together.
				if z := l.Sum.At(0) - float64(2+k); math.Abs(z) > 12*math.Sqrt(l.Sum.NoiseMoments().Variance()) {
					t.Fatalf("leaf %d: off by %v", 7+k, z)
				}
				if 7+k == 20 {
					break
				}
			}
			if _, err := d.Leaf(0, 21); !errors.Is(err, ErrHorizon) {
				t.Errorf("leaf 21 of 20: %v", err)
			}
			if next, err := d.Skip(0, 1000); err != nil || next != 21 {
				t.Errorf("all lost: next is %d, %v", next, err)
			}
			reload()
			if _, err := d.Leaf(0, 21); !errors.Is(err, ErrHorizon) {
				t.Errorf("leaf 21 of 20, all lost: %v", err)
			}
		})
	}
}

// TestNewLivesCostNoMore: a user's records are in releases before and after a restart; together
// these move no more than is charged. The lost life continues from the backup, the new one begins
// again after it.
func TestNewLivesCostNoMore(t *testing.T) {
	for _, m := range factored {
		if drawsAhead(m) {
			continue
		}
		t.Run(m.String(), func(t *testing.T) {
			s := mechanismSpec(m, 16)
			s.RecordsPerUser = 3
			for _, at := range [][3]uint64{{1, 2, 9}, {2, 5, 6}, {3, 3, 3}, {1, 9, 10}, {4, 8, 16}} {
				play := func(x float64) (drawn []Release) {
					d := open(t, s, seeded(4))
					step := func(d *Curator, from, to uint64) {
						for k := from; k <= to; k++ {
							for _, mine := range at {
								if mine == k {
									require.NoError(t, d.Add(0, []float64{x}))
								}
							}
							require.Value(d.Leaf(0, k))(t)
						}
						drawn = append(drawn, d.TakeDrawn()...)
					}
					d.TakeCharges()
					step(d, 1, 4)
					state, err := d.Save()
					if err != nil {
						t.Fatal(err)
					}
					step(d, 5, 8) // the life that is lost
					lives := open(t, s, seeded(5))
					lives.TakeCharges()
					require.NoError(t, lives.Load(state))
					require.Value(lives.Skip(0, 8))(t)
					step(lives, 9, 16)
					return drawn
				}
				one, other := play(0), play(1)
				if err := covered(s, one, other); err != nil {
					t.Errorf("records in leaves %v: %v", at, err)
				}
			}
		})
	}
}

// TestRoundingIsPaidInEveryStream: a user's records in many streams, each so small that rounding
// is most of what they move, move no more than is charged.
func TestRoundingIsPaidInEveryStream(t *testing.T) {
	for _, m := range []Mechanism{Sqrt, BLT} {
		s := mechanismSpec(m, 512)
		s.Streams, s.RecordsPerUser, s.Hi = 16, 16, 1./(1<<20)
		play := func(x float64) []Release {
			d := open(t, s, seeded(4))
			for k := uint64(1); k <= s.Leaves; k++ {
				for i := range StreamID(s.Streams) {
					if k == 1 {
						require.NoError(t, d.Add(i, []float64{x}))
					}
					for range (k + uint64(i)) % 3 { // others, so that rounding goes either way
						require.NoError(t, d.Add(i, []float64{s.Hi}))
					}
					require.Value(d.Leaf(i, k))(t)
				}
			}
			return d.TakeDrawn()
		}
		one, other := play(0), play(s.Hi)
		if err := covered(s, one, other); err != nil {
			t.Error(err)
		}
		c := require.Value(s.charge(0))(t)
		if d := design(m); c.norm(&d) < math.Sqrt(16)*d.Slack(512, 1) {
			t.Errorf("%v: rounding of one stream is charged, not of all", m)
		}
	}
}
