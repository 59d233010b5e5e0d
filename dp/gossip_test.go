package dp

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestMeanRoundsDown compares with rational arithmetic.
func TestMeanRoundsDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int64Range(-1<<45, 1<<45).Draw(t, "sum")
		n := rapid.Uint64Range(1, 1<<20).Draw(t, "count")
		scale := rapid.Uint64Range(0, 1<<40).Draw(t, "scale")
		m, err := Mean(Release{v: []int64{x}, count: []uint64{n}, e: GridExponent, noise: Noise{Scale: scale, Terms: 3}})
		if err != nil {
			t.Fatal(err)
		}
		want := new(big.Int).Lsh(big.NewInt(x), 12)
		want.Div(want, new(big.Int).SetUint64(n)) // Euclidean, so down for n > 0
		if want.Int64() != m.Value(0) {
			t.Fatalf("mean of %d by %d is %d, want %d", x, n, m.Value(0), want)
		}
		if m.noise.Scale*n < scale<<12 || (m.noise.Scale > 0 && (m.noise.Scale-1)*n >= scale<<12) {
			t.Fatalf("noise scale %d by %d became %d", scale, n, m.noise.Scale)
		}
	})
	for _, r := range []Release{{v: []int64{1}, e: GridExponent}, {v: []int64{1}, count: []uint64{0}, e: GridExponent}} {
		if _, err := Mean(r); err == nil {
			t.Errorf("mean of %v", r)
		}
	}
}

// TestAnExchangeKeepsTheSum is the invariant of averaging, to the last unit.
func TestAnExchangeKeepsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := NewMixed(1, MeanExponent), NewMixed(1, MeanExponent)
		value := rapid.Int64Range(-MaxValue/8, MaxValue/8) // own means are far smaller
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			m := rapid.SampledFrom([]*Mixed{a, b}).Draw(t, "peer")
			if rapid.Bool().Draw(t, "pull") {
				before := *m
				beforeV := m.v[0]
				err := m.Replace(0, Release{v: []int64{value.Draw(t, "mean")}, e: MeanExponent})
				if err != nil && m.v[0] != beforeV {
					t.Fatalf("a refused value changed %v to %v", before, m)
				}
				continue
			}
			d, err := b.HalfDifference(a.Release())
			if err != nil {
				t.Fatal(err)
			}
			if b.Add(d) == nil && a.Sub(d) != nil {
				t.Fatal("one end of an exchange refused what the other took")
			}
			if diff := a.v[0] - b.v[0]; diff < 0 || diff > 1 {
				t.Fatalf("after an exchange %d and %d", a.v[0], b.v[0])
			}
		}
		if a.v[0]+b.v[0] != a.own[0]+b.own[0] {
			t.Fatalf("estimates %d + %d, own values %d + %d", a.v[0], b.v[0], a.own[0], b.own[0])
		}
	})
}

func TestShapesThatDoNotFitAreRefused(t *testing.T) {
	m := NewMixed(2, MeanExponent)
	for _, r := range []Release{{}, {v: []int64{1}, e: MeanExponent}, {v: []int64{1, 2}, e: 0}} {
		if _, err := m.HalfDifference(r); !errors.Is(err, ErrShape) {
			t.Errorf("half the difference to %v: %v", r, err)
		}
		if err := m.Add(r); !errors.Is(err, ErrShape) {
			t.Errorf("added %v: %v", r, err)
		}
	}
	c := NewCounts(2)
	if err := c.RaiseToMax(Release{count: []uint64{1}}); !errors.Is(err, ErrShape) {
		t.Errorf("raised 2 counts to 1: %v", err)
	}
	if _, err := Concat([]Release{{v: []int64{1}, e: 1}, {v: []int64{1}, e: 2}}); !errors.Is(err, ErrShape) {
		t.Errorf("put different lattices behind one another: %v", err)
	}
	if _, err := Concat(nil); !errors.Is(err, ErrShape) {
		t.Errorf("nothing behind nothing: %v", err)
	}
}

func TestLiarsAloneLiftNoCount(t *testing.T) {
	c := NewCounts(1)
	claim := func(n uint64) Release { return Release{count: []uint64{n}} }
	c.RaiseToRank([]Release{claim(1 << 63), claim(5), {}, claim(7)}, 1)
	if c.At(0) != 7 {
		t.Errorf("second largest claim is 7, got %d", c.At(0))
	}
	c.RaiseToRank([]Release{claim(1 << 63)}, 1)
	if c.At(0) != 7 {
		t.Errorf("one liar alone lifted the count to %d", c.At(0))
	}
}

// TestAShownReleaseStaysAsItIs guards the slabs and caches that releases share.
func TestAShownReleaseStaysAsItIs(t *testing.T) {
	c, m := NewCounts(2), NewMixed(2, MeanExponent)
	counts, mixed := c.Release(), m.Release()
	d := open(t, spec(4, Tree), seeded(1))
	first, err := d.Leaf(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	was := Release{v: []int64{first.Sum.Value(0)}, count: []uint64{first.Sum.Count(0)}}
	for k := uint64(2); k <= 4; k++ {
		if err := d.Add(0, []float64{1}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Leaf(0, k); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.RaiseToMax(Release{count: []uint64{3, 4}})
	_ = m.Add(Release{v: []int64{3, 4}, e: MeanExponent})
	if counts.Count(0) != 0 || mixed.Value(0) != 0 || first.Sum.Value(0) != was.v[0] || first.Sum.Count(0) != was.count[0] {
		t.Error("a release changed after it was shown")
	}
}

// TestWhatOthersSayLeavesRoom: a peer's own mean can be replaced whatever others
// have made of its estimate.
func TestWhatOthersSayLeavesRoom(t *testing.T) {
	m := NewMixed(1, MeanExponent)
	for range 3 {
		d, err := m.HalfDifference(Release{v: []int64{MaxValue}, e: MeanExponent})
		if err != nil {
			t.Fatal(err)
		}
		if m.Add(d) != nil {
			break
		}
	}
	for _, own := range []int64{MaxValue / 4, -MaxValue / 4, MaxValue / 4} {
		if err := m.Replace(0, Release{v: []int64{own}, e: MeanExponent}); err != nil {
			t.Fatalf("estimate %d: %v", m.v[0], err)
		}
	}
}

// TestWhoKnowsLittleSpoilsNothing: a coordinate moves only where both ends have
// counts within a factor of four.
func TestWhoKnowsLittleSpoilsNothing(t *testing.T) {
	m, mine := NewMixed(5, MeanExponent), NewCounts(5)
	if err := mine.RaiseToMax(Release{count: []uint64{100, 100, 100, 0, 0}}); err != nil {
		t.Fatal(err)
	}
	other := Release{v: []int64{80, 80, 80, 80, 80}, e: MeanExponent}
	d, err := m.HalfDifferenceAlike(other, Release{count: []uint64{25, 24, 400, 7, 0}}, mine)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{40, 0, 40, 0, 0} {
		if d.Value(i) != want {
			t.Errorf("coordinate %d moves by %d, want %d", i, d.Value(i), want)
		}
	}
	if _, err := m.HalfDifferenceAlike(other, Release{count: []uint64{1}}, mine); !errors.Is(err, ErrShape) {
		t.Errorf("one count for five coordinates: %v", err)
	}
}
