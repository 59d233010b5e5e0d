package averages

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// release returns a release as if a peer had sent it.
func release(f dp.Fields) (r dp.Release) {
	dp.Remake(vouch.For(&r), f)
	return r
}

// TestMeanRoundsDown compares with rational arithmetic.
func TestMeanRoundsDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int64Range(-1<<45, 1<<45).Draw(t, "sum")
		n := rapid.Uint64Range(1, 1<<20).Draw(t, "count")
		scale := rapid.Uint64Range(0, 1<<40).Draw(t, "scale")
		m := require.Value(made(meanOf(release(dp.Fields{Value: []int64{x}, Count: []uint64{n}, Exponent: dp.GridExponent, Noise: dp.Noise{Scale: scale, VarianceUnits: 3}}))))(t)
		want := new(big.Int).Lsh(big.NewInt(x), 12)
		want.Div(want, new(big.Int).SetUint64(n)) // Euclidean, so rounded down for n > 0
		if want.Int64() != m.Value(0) {
			t.Fatalf("mean of %d by %d is %d, want %d", x, n, m.Value(0), want)
		}
		if got := m.Noise().Scale; got*n < scale<<12 || (got > 0 && (got-1)*n >= scale<<12) {
			t.Fatalf("noise scale %d by %d became %d", scale, n, got)
		}
	})
	for _, r := range []dp.Fields{{Value: []int64{1}, Exponent: dp.GridExponent}, {Value: []int64{1}, Count: []uint64{0}, Exponent: dp.GridExponent}} {
		if _, err := meanOf(release(r)); err == nil {
			t.Errorf("mean of %v", r)
		}
	}
}

// entered returns the state of one of a number of peers that has entered all n coordinates.
func entered(n, peers int) *Mixed {
	m := NewMixed(n, peers)
	for i := range n {
		m.Join(i)
	}
	return m
}

// TestAnExchangeKeepsTheSum is the invariant of averaging, to the last unit.
func TestAnExchangeKeepsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := entered(1, 2), entered(1, 2)
		value := rapid.Int64Range(-dp.MaxValue/8, dp.MaxValue/8) // own means are far smaller
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			m := rapid.SampledFrom([]*Mixed{a, b}).Draw(t, "peer")
			if rapid.Bool().Draw(t, "pull") {
				before := *m
				beforeV := m.v[0]
				err := m.Replace(0, release(dp.Fields{Value: []int64{value.Draw(t, "mean")}, Exponent: MeanExponent}))
				if err != nil && m.v[0] != beforeV {
					t.Fatalf("a refused value changed %v to %v", before, m)
				}
				continue
			}
			d := require.Value(b.HalfDifference(a.Release()))(t)
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

func TestLiarsAloneLiftNoCount(t *testing.T) {
	c := NewCounts(1)
	claim := func(n uint64) dp.Release { return release(dp.Fields{Count: []uint64{n}}) }
	c.RaiseToRank([]dp.Release{claim(1 << 63), claim(5), {}, claim(7)}, 1)
	if c.At(0) != 7 {
		t.Errorf("second largest claim is 7, got %d", c.At(0))
	}
	c.RaiseToRank([]dp.Release{claim(1 << 63)}, 1)
	if c.At(0) != 7 {
		t.Errorf("one liar alone lifted the count to %d", c.At(0))
	}
}

// TestAShownStateStaysAsItIs: what was released of a state does not change with the state.
func TestAShownStateStaysAsItIs(t *testing.T) {
	c, m := NewCounts(2), entered(2, 2)
	counts, mixed := c.Release(), m.Release()
	_ = c.RaiseToMax(new(release(dp.Fields{Count: []uint64{3, 4}})))
	_ = m.Add(release(dp.Fields{Value: []int64{3, 4}, Exponent: MeanExponent}))
	if counts.Count(0) != 0 || mixed.Value(0) != 0 {
		t.Error("a release changed after it was shown")
	}
}

// TestWhatOthersSayLeavesRoom: a peer's own mean can be replaced whatever the others have done to
// its estimate.
func TestWhatOthersSayLeavesRoom(t *testing.T) {
	m := entered(1, 2)
	for range 3 {
		d := require.Value(m.HalfDifference(release(dp.Fields{Value: []int64{dp.MaxValue}, Exponent: MeanExponent})))(t)
		if m.Add(d) != nil {
			break
		}
	}
	for _, own := range []int64{dp.MaxValue / 4, -dp.MaxValue / 4, dp.MaxValue / 4} {
		if err := m.Replace(0, release(dp.Fields{Value: []int64{own}, Exponent: MeanExponent})); err != nil {
			t.Fatalf("estimate %d: %v", m.v[0], err)
		}
	}
}

// TestWeightsAreMixedLikeValues: peers pull, enter and meet in any order. Values add up to the
// own values of the peers that entered, weights to their number, to the last unit; once all have
// met often enough, every peer's estimate is the mean of those own values.
func TestWeightsAreMixedLikeValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "peers")
		peers := make([]*Mixed, n)
		for i := range peers {
			peers[i] = NewMixed(1, n)
		}
		which := rapid.IntRange(0, n-1)
		meet := func(i, j int) {
			d, err := peers[j].HalfDifference(peers[i].Release())
			if err == nil {
				err = errors.Join(peers[j].Add(d), peers[i].Sub(d))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		sums := func() (own, entered int64) {
			var v, w int64
			for _, m := range peers {
				v, w = v+m.v[0], w+m.v[1]
				if m.Joined(0) {
					own, entered = own+m.Own(0), entered+1
				}
			}
			if v != own || w != entered*one {
				t.Fatalf("values %d and weights %d, want %d and %d", v, w, own, entered*one)
			}
			return own, entered
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			i := which.Draw(t, "peer")
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				require.NoError(t, peers[i].Replace(0, release(dp.Fields{Value: []int64{rapid.Int64Range(-1<<40, 1<<40).Draw(t, "mean")}, Exponent: MeanExponent})))
			case 1:
				if !peers[i].Join(0) {
					t.Fatal("kept out")
				}
			default:
				if j := which.Draw(t, "other"); j != i {
					meet(i, j)
				}
			}
			sums()
		}
		for range 200 {
			for i := range n {
				meet(i, (i+1)%n)
			}
		}
		own, entered := sums()
		for i, m := range peers {
			want := float64(m.Own(0)) / one
			if entered > 0 {
				want = float64(own) / float64(entered) / one
			}
			if got := m.At(0); math.Abs(got-want) > 1e-6 {
				t.Fatalf("peer %d of %d, %d entered: %v, want %v", i, n, entered, got, want)
			}
		}
	})
}

// TestWeightsThatAreTooSmall: they are not divided by, whatever made them small.
func TestWeightsThatAreTooSmall(t *testing.T) {
	for _, w := range []int64{-dp.MaxValue / 2, -one, 0, 1, one/8 - 1, one / 8, one, dp.MaxValue / 2} {
		for _, v := range []int64{-dp.MaxValue / 2, one, dp.MaxValue / 2} {
			m := NewMixed(1, 4)
			require.NoError(t, m.Replace(0, release(dp.Fields{Value: []int64{one / 2}, Exponent: MeanExponent})))
			require.NoError(t, m.Add(release(dp.Fields{Value: []int64{v, w}, Exponent: MeanExponent})))
			want := .5
			if w >= one/8 {
				want = float64(v) / float64(w)
			}
			if got := m.At(0); got != want {
				t.Errorf("value %d of weight %d is %v, want %v", v, w, got, want)
			}
			if !m.Join(0) || !m.Joined(0) || m.v[0] != v+one/2 || m.v[1] != w+one {
				t.Errorf("value %d of weight %d: kept out, or entered with another weight than 1", v, w)
			}
		}
	}
}

// TestASumOutOfRangeKeepsOut the own value, and changes nothing.
func TestASumOutOfRangeKeepsOut(t *testing.T) {
	m := NewMixed(1, 4)
	require.NoError(t, m.Replace(0, release(dp.Fields{Value: []int64{dp.MaxValue}, Exponent: MeanExponent})))
	require.NoError(t, m.Add(release(dp.Fields{Value: []int64{1, 5}, Exponent: MeanExponent})))
	if m.Join(0) || m.Joined(0) || m.v[0] != 1 || m.v[1] != 5 {
		t.Errorf("in: %v, value and weight %v", m.Joined(0), m.v)
	}
}

// TestADifferenceOutOfRangeMovesNothing: whichever coordinate it leads out of range, and in
// whichever direction, no other coordinate moves either.
func TestADifferenceOutOfRangeMovesNothing(t *testing.T) {
	for _, at := range []int{0, 1, 2} {
		for _, sign := range []int64{1, -1} {
			m := entered(3, 2)
			to := func(x int64) dp.Release {
				v := []int64{1, 1, 1}
				v[at] = x
				return release(dp.Fields{Value: v, Exponent: MeanExponent})
			}
			require.NoError(t, m.Add(to(sign*(dp.MaxValue/2-1))))
			before := m.Release()
			for what, move := range map[string]func() error{
				"adding":      func() error { return m.Add(to(sign * 2)) },
				"subtracting": func() error { return m.Sub(to(-sign * 2)) },
			} {
				if err := move(); !errors.Is(err, dp.ErrOverflow) || !m.Release().Equal(before) {
					t.Errorf("%s %d at %d: %v, and %v is %v", what, sign*2, at, err, before, m.Release())
				}
			}
		}
	}
}
