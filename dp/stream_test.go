package dp

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/internal/require"
)

// factored are the mechanisms that decode their sums, without the tree.
var factored = []Mechanism{Hybrid, Kary, Sqrt, BLT}

// seededDrawer returns the drawer of a curator with a seed.
func seededDrawer(b byte) *drawer { return &drawer{src: seeded(b), hidden: new(hiddenNoise)} }

// closeLeaf closes the next leaf of s.
func closeLeaf(t require.TB, s *stream, d *drawer, recorded []int64, out *Leaf) {
	d.recorded = recorded
	require.NoError(t, s.close(d, out))
}

// TestSumsDecode plays records and no records with equal noise. Sums differ by the records' sums.
func TestSumsDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(factored).Draw(t, "mechanism")
		leaves := rapid.Uint64Range(1, 200).Draw(t, "leaves")
		spec := mechanismSpec(m, leaves)
		spec.Dim = 2
		c := require.Value(spec.charge(0))(t)
		a, b := c.streams(new(arena))(), c.streams(new(arena))() // with equal noise, with and without records
		x, y := seededDrawer(1), seededDrawer(1)
		sum, records := make([]int64, 2), uint64(0)
		for range leaves {
			for range rapid.IntRange(0, 3).Draw(t, "records") {
				v := rapid.SliceOfN(rapid.Float64Range(0, 1), 2, 2).Draw(t, "record")
				require.NoError(t, a.add(v))
				records++
				for i := range v {
					q, _ := Quantize(v[i], 0, 1)
					sum[i] += q
				}
			}
			var with, without Leaf
			closeLeaf(t, a, x, nil, &with)
			closeLeaf(t, b, y, nil, &without)
			for i := range sum {
				// Rounding of what is drawn is decoded, too: B's rows have an L1 norm below 2√n.
				if d := with.Sum.Value(i) - without.Sum.Value(i) - sum[i]; d > 30 || d < -30 {
					t.Fatalf("%v, leaf %d: sum is off by %d units", m, a.closed(), d)
				}
			}
			if with.Sum.Count(0) != records {
				t.Fatalf("%v, leaf %d: %d records, want %d", m, a.closed(), with.Sum.Count(0), records)
			}
		}
	})
}

// TestALongStreamDecodes checks buffers with a very small decay.
func TestALongStreamDecodes(t *testing.T) {
	c := require.Value(mechanismSpec(BLT, MaxLeaves).charge(0))(t)
	with, without := c.streams(new(arena))(), c.streams(new(arena))()
	x, y := seededDrawer(1), seededDrawer(1)
	var one, other Leaf
	for k := int64(1); k <= 20_000; k++ {
		require.NoError(t, with.add([]float64{1}))
		closeLeaf(t, with, x, nil, &one)
		closeLeaf(t, without, y, nil, &other)
		// Half a unit of rounding for every value, decoded by a row of B: its L1 norm is below 200.
		if d := one.Sum.Value(0) - other.Sum.Value(0) - k<<-GridExponent; d > 100 || d < -100 {
			t.Fatalf("leaf %d: sum is off by %d units", k, d)
		}
	}
}

// TestEveryMechanismGoesOnAsIfItHadNotStopped plays with real noise, stops at a state that was
// saved some leaves ago, replays these leaves and continues. What is released is the same, and
// the horizon is the end.
func TestEveryMechanismGoesOnAsIfItHadNotStopped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(factored).Draw(t, "mechanism")
		leaves := rapid.OneOf(rapid.Uint64Range(1, 60), rapid.Uint64Range(1, MaxLeaves)).Draw(t, "leaves")
		s := mechanismSpec(m, min(leaves, design(m).Most))
		s.Streams, s.Dim = 2, 2
		curator := func() *Curator { return open2(t, Private, s, NewSecureSource()) }
		first := curator()
		for range rapid.IntRange(1, 4).Draw(t, "lives") {
			require.Value(first.make(anyMoves(s).Draw(t, "moves")))(t)
			first.TakeDrawn()
			saved := require.Value(first.Save())(t)
			moves := anyMoves(s).Draw(t, "moves")
			want, err := first.make(moves)
			if err != nil {
				t.Fatal(err)
			}
			nodes := slices.Clone(first.TakeDrawn())
			second := curator()
			require.NoError(t, second.Load(saved))
			second.Replay(nodes, first.Hidden())
			got := require.Value(second.make(moves))(t)
			require.NoError(t, second.Replayed())
			if !slices.EqualFunc(got, want, sameLeaf) {
				t.Fatalf("replayed %v, want %v", got, want)
			}
			second.TakeDrawn()
			one, _ := first.Save()
			two, _ := second.Save()
			if !slices.Equal(one.Bytes(), two.Bytes()) {
				t.Fatal("equal releases, and another state")
			}
			first = second
		}
	})
}
