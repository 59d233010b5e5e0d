package dp

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/internal/require"
)

// countedSpec returns streams of a mechanism whose releases hide the number of records.
func countedSpec(m Mechanism, leaves uint64) Spec {
	s := mechanismSpec(m, leaves)
	s.Shape, s.Adjacency = Counted, AddOrRemove
	return s
}

// eachCounted runs f with a counted spec of every mechanism.
func eachCounted(t *testing.T, leaves uint64, f func(t *testing.T, s Spec)) {
	t.Helper()
	eachMechanism(t, leaves, func(t *testing.T, s Spec) { f(t, countedSpec(s.Mechanism, leaves)) })
}

// TestACountedRecordIsOne: whatever a reward is, its two sums add up to Hi - Lo, so that no
// record moves them further, in L1 or L2, than Change and l2 state.
func TestACountedRecordIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Charge{Shape: Counted, Dim: 1, Adjacency: AddOrRemove}
		c.Lo = rapid.Int64Range(-1<<22, 1<<22).Draw(t, "lo")
		c.Hi = c.Lo + rapid.Int64Range(1, 1<<22).Draw(t, "range")
		var v [2]int64
		// Nearly all numbers of rapid.Float64 are on the grid once they are clipped, so rounding shows in none.
		y := rapid.Float64Range(float64(c.Lo-9)*unit(GridExponent), float64(c.Hi+9)*unit(GridExponent)).Draw(t, "y")
		require.NoError(t, Counted.Quantize(v[:], []float64{y}, float64(c.Lo)*unit(GridExponent), float64(c.Hi)*unit(GridExponent)))
		if v[0] < 0 || v[1] < 0 || v[0]+v[1] != c.Hi-c.Lo || uint64(v[0]+v[1]) != c.Change() {
			t.Fatalf("%v in [%d, %d] became %v", y, c.Lo, c.Hi, v)
		}
		if l2 := math.Hypot(float64(v[0]), float64(v[1])); l2 > c.l2() {
			t.Fatalf("%v moves by %v in L2, charged %v", y, l2, c.l2())
		}
		if !c.charged().Holds(v[:], 1) || c.charged().Holds(v[:], 0) || c.charged().Holds([]int64{-1, 1}, 1) {
			t.Fatalf("%v passes as none, or not as one", v)
		}
	})
	var v [2]int64
	if err := Counted.Quantize(v[:], []float64{math.NaN()}, 0, 1); !errors.Is(err, ErrNotFinite) {
		t.Error(err)
	}
}

// TestPresenceMovesNoMoreThanIsCharged plays inputs with and without the records of one user,
// with the same noise. Some pair costs the whole charge, to a thousandth.
func TestPresenceMovesNoMoreThanIsCharged(t *testing.T) {
	const leaves = 13
	eachCounted(t, leaves, func(t *testing.T, s Spec) {
		if s.Mechanism == None || drawsAhead(s.Mechanism) {
			return
		}
		s.RecordsPerUser = 2
		reached := s
		reached.Epsilon = s.Epsilon * 998 / 1000
		most := false
		for at := uint64(1); at <= leaves; at++ {
			for _, y := range []float64{0, .3, 1} {
				play := func(present bool) []Release {
					d := open(t, s, seeded(4))
					for k := uint64(1); k <= leaves; k++ {
						if k == at && present {
							for range 2 {
								require.NoError(t, d.Add(0, []float64{y}))
							}
						}
						if err := d.Add(0, []float64{record(k)}); err != nil { // another user's
							t.Fatal(err)
						}
						require.Value(d.Leaf(0, k))(t)
					}
					return d.TakeDrawn()
				}
				one, other := play(true), play(false)
				if err := covered(s, one, other); err != nil {
					t.Errorf("two records of %v in leaf %d: %v", y, at, err)
				}
				most = most || covered(reached, one, other) != nil
			}
		}
		if !most {
			t.Error("nothing costs what is charged: the comparison above compares little")
		}
	})
}

// TestCountedReleasesHaveNoCounts: neither nodes nor sums, nor what a charge covers, nor after
// leaves were abandoned; and the noise of a count is twice the charged noise.
func TestCountedReleasesHaveNoCounts(t *testing.T) {
	eachCounted(t, 40, func(t *testing.T, s Spec) {
		d := open(t, s, seeded(5))
		c := d.TakeCharges()[0]
		require.NoError(t, c.Check())
		for k := uint64(1); k <= s.Leaves; k++ {
			if k == 20 {
				d.TakeDrawn()
				next := require.Value(d.Skip(0, 24))(t)
				if k = next; k > s.Leaves {
					return
				}
			}
			require.NoError(t, d.Add(0, []float64{record(k)}))
			l := require.Value(d.Leaf(0, k))(t)
			if l.Node.Counts() != 0 || l.Sum.Counts() != 0 || l.Sum.Len() != 2 {
				t.Fatalf("leaf %d shows %+v and %+v", k, l.Node, l.Sum)
			}
			if k < 20 {
				f := l.Node.Fields()
				require.NoError(t, c.Covers(f))
				f.Count = []uint64{1}
				if err := c.Covers(f); !errors.Is(err, ErrUnpaid) {
					t.Fatalf("with a count: %v", err)
				}
			}
			if s.Mechanism == None && s.Mechanism.Running() && k < 20 && l.Sum.v[0]+l.Sum.v[1] != int64(k)<<-GridExponent {
				t.Fatalf("leaf %d counts %d", k, l.Sum.v[0]+l.Sum.v[1])
			}
		}
	})
}

// TestOnlyCountedRecordsAreAddedOrRemoved: the promise for presence is not charged for records
// whose number is visible, nor another promise for records whose number is not.
func TestOnlyCountedRecordsAreAddedOrRemoved(t *testing.T) {
	for _, change := range []func(*Spec){
		func(s *Spec) { s.Shape = Box }, func(s *Spec) { s.Adjacency = ZeroOut },
		func(s *Spec) { s.Adjacency = ReplaceOne }, func(s *Spec) { s.Dim = 2 },
	} {
		s := countedSpec(Tree, 8)
		require.Value(s.Charge())(t)
		change(&s)
		if _, err := s.Charge(); err == nil || !strings.Contains(err.Error(), "counted") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
