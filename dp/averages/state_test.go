package averages

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// TestAveragesAndCountsAreSavedWhole: and other states are refused.
func TestAveragesAndCountsAreSavedWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "length")
		m, c := entered(n, 3), NewCounts(n)
		values := rapid.SliceOfN(rapid.Int64Range(-dp.MaxValue/4, dp.MaxValue/4), n, n)
		for i, x := range values.Draw(t, "own") {
			require.NoError(t, m.Replace(i, release(dp.Fields{Value: []int64{x}, Exponent: MeanExponent})))
		}
		require.NoError(t, m.Add(release(dp.Fields{Value: values.Draw(t, "others"), Exponent: MeanExponent})))
		require.NoError(t, c.RaiseToMax(new(release(dp.Fields{Count: rapid.SliceOfN(rapid.Uint64(), n, n).Draw(t, "counts")}))))
		c.Release()
		m2, c2 := NewMixed(n, 3), NewCounts(n)
		c2.Release()
		require.NoError(t, errors.Join(m2.Load(vouch.For(m.Save())), c2.Load(vouch.For(c.Save()))))
		if !m2.Release().Equal(m.Release()) || !slices.Equal(m2.own, m.own) || !c2.Release().Equal(c.Release()) {
			t.Fatalf("loaded %v and %v, want %v and %v", m2, c2, m, c)
		}
		another := m.Save()
		another[1] = 0
		if !errors.Is(NewMixed(n, 3).Load(vouch.For(another)), dp.ErrState) {
			t.Fatal("another lattice")
		}
		w, w2 := NewMixed(n, 3), NewMixed(n, 3)
		for i := range n {
			require.NoError(t, w.Replace(i, release(dp.Fields{Value: []int64{m.own[i]}, Exponent: MeanExponent})))
			if i%2 == 0 {
				w.Join(i)
			}
		}
		require.NoError(t, errors.Join(w.Add(release(dp.Fields{Value: append(values.Draw(t, "values"), values.Draw(t, "weights")...), Exponent: MeanExponent})), w2.Load(vouch.For(w.Save()))))
		if !w2.Release().Equal(w.Release()) || !slices.Equal(w2.own, w.own) || !slices.Equal(w2.in, w.in) {
			t.Fatalf("loaded %v, want %v", w2, w)
		}
		for _, saved := range [][]byte{nil, {9}, append(m.Save(), 0)} {
			if !errors.Is(m2.Load(vouch.For(saved)), dp.ErrState) || !errors.Is(c2.Load(vouch.For(append(saved, 0))), dp.ErrState) {
				t.Fatalf("loaded %x", saved)
			}
		}
		if !m2.Release().Equal(m.Release()) || !c2.Release().Equal(c.Release()) {
			t.Fatal("a refused state changed something")
		}
	})
}
