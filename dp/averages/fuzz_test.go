package averages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

func finite(t *testing.T, what string, xs ...float64) {
	t.Helper()
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%s: %v", what, xs)
		}
	}
}

// wellFormed checks what holds for every release.
func wellFormed(t *testing.T, r dp.Release) {
	t.Helper()
	if again, err := dp.Received(vouch.For(r.Fields())); err != nil || !again.Equal(r) {
		t.Fatalf("%+v, which no peer can send: %v", r, err)
	}
	n := r.NoiseMoments()
	finite(t, "noise", n.LaplaceSumSq, n.LaplaceMax, n.GaussVar)
	for i := range r.Len() {
		finite(t, "entry", r.At(i))
	}
}

// FuzzAverages: what comes off the wire can be mixed, averaged and counted without leaving the range of values.
func FuzzAverages(f *testing.F) {
	add := func(from, to uint64, count []uint64, value []int64, e int8, scale uint64, terms uint32) {
		b, _ := binary.Append(nil, binary.LittleEndian, count) // never fails on numbers
		v, _ := binary.Append(nil, binary.LittleEndian, value)
		f.Add(from, to, b, v, e, scale, terms)
	}
	add(0, 4, []uint64{3}, []int64{-7}, dp.GridExponent, 1<<20, 1)
	add(9, 9, []uint64{0, math.MaxUint64}, []int64{dp.MaxValue, -dp.MaxValue}, 64, dp.MaxValue, math.MaxUint32)
	add(0, 0, []uint64{2}, []int64{1}, MeanExponent, 0, 0)
	f.Fuzz(func(t *testing.T, from, to uint64, count, value []byte, e int8, scale uint64, terms uint32) {
		fields := dp.Fields{Span: dp.Span{From: from, To: to}, Count: make([]uint64, len(count)/8), Value: make([]int64, len(value)/8), Exponent: e}
		fields.Noise = dp.Noise{Scale: scale, VarianceUnits: terms}
		_, _ = binary.Decode(count, binary.LittleEndian, fields.Count)
		_, _ = binary.Decode(value, binary.LittleEndian, fields.Value)
		r, err := dp.Received(vouch.For(fields))
		if err != nil {
			return
		}
		if m, err := made(meanOf(r)); err == nil {
			wellFormed(t, m)
		}
		checkMixed(t, &r)
		c := NewCounts(r.Counts())
		require.NoError(t, c.RaiseToMax(&r))
		for i := range r.Counts() {
			if c.At(i) != r.Count(i) {
				t.Fatalf("counts %v after those of %+v", c, r)
			}
		}
		c.RaiseToRank([]dp.Release{r, {}, r}, 1)
		checkWeights(t, release(dp.Fields{Value: fields.Value, Exponent: MeanExponent}))
	})
}

// checkMixed mixes what came from a peer into values that the peer has entered.
func checkMixed(t *testing.T, r *dp.Release) {
	m := entered(r.Len(), 2)
	other := release(dp.Fields{Value: r.Fields().Value, Exponent: MeanExponent})
	d := require.Value(m.HalfDifference(other))(t)
	wellFormed(t, d)
	for range 3 { // the limit is half the range
		_ = m.Add(other)
		_ = m.Sub(d)
		wellFormed(t, m.Release())
	}
	if r.Len() == 1 {
		_ = m.Replace(0, other)
		wellFormed(t, m.Release())
		if n, err := m.ReplaceByMean(0, r); err == nil {
			finite(t, "noise of the mean", n.LaplaceSumSq, n.LaplaceMax, n.GaussVar)
		}
		wellFormed(t, m.Release())
	}
}

// checkWeights mixes what came from a peer into values and weights and lets the peer enter:
// whatever the weights are, estimates are finite.
func checkWeights(t *testing.T, r dp.Release) {
	w := NewMixed(r.Len()/2, 3)
	for range 3 {
		if d, err := w.HalfDifference(r); err == nil {
			_ = w.Add(d)
		}
		_ = w.Sub(r)
		for i := range w.Len() {
			finite(t, "estimate", w.At(i))
			w.Join(i)
			finite(t, "estimate", w.At(i))
		}
		wellFormed(t, w.Release())
	}
}

// loader is a public state of this package.
type loader interface {
	Load(saved vouch.Value[[]byte]) error
	Save() []byte
	Release() dp.Release
}

// checkLoad: what is refused changes nothing; what is accepted is written in its one form, which
// is the shortest.
func checkLoad(t *testing.T, l loader, b []byte) {
	before := l.Save()
	if err := l.Load(vouch.For(b)); err != nil {
		if !errors.Is(err, dp.ErrState) || !bytes.Equal(l.Save(), before) {
			t.Fatalf("refused with %v, and now %x instead of %x", err, l.Save(), before)
		}
		return
	}
	wellFormed(t, l.Release())
	if l.Load(vouch.For(append(slices.Clone(b), 0))) == nil {
		t.Fatalf("%x is taken, and so with a byte more", b)
	}
	saved := l.Save()
	if err := l.Load(vouch.For(saved)); err != nil || len(saved) > len(b) || !bytes.Equal(l.Save(), saved) {
		t.Fatalf("%x is saved as %x and then as %x, %v", b, saved, l.Save(), err)
	}
}

func FuzzMixedLoad(f *testing.F) {
	m := entered(2, 2)
	require.NoError(f, m.Add(release(dp.Fields{Value: []int64{dp.MaxValue / 2, -5}, Exponent: MeanExponent})))
	f.Add(uint8(2), m.Save())
	f.Add(uint8(0), NewMixed(0, 0).Save())
	f.Add(uint8(2), append(m.Save(), 0))
	head := NewMixed(0, 0).Save()
	f.Add(uint8(1), binary.AppendVarint(append(slices.Clone(head), 0), dp.MaxValue+1))
	f.Add(uint8(1), binary.AppendVarint(append(slices.Clone(head), 0), math.MinInt64))
	f.Add(uint8(1), append(slices.Clone(head), bytes.Repeat([]byte{0xff}, 20)...))
	f.Add(uint8(0), []byte{stateVersion, 0}) // another lattice
	w := NewMixed(2, 2)
	w.Join(1)
	f.Add(uint8(2), w.Save())
	f.Add(uint8(2), append(w.Save()[:9], 2)) // neither entered nor not
	f.Fuzz(func(t *testing.T, n uint8, b []byte) {
		w := NewMixed(int(n), 3)
		checkLoad(t, w, b)
		for i := range w.Len() {
			finite(t, "estimate", w.At(i))
		}
	})
}

func FuzzCountsLoad(f *testing.F) {
	c := NewCounts(2)
	require.NoError(f, c.RaiseToMax(new(release(dp.Fields{Count: []uint64{1, math.MaxUint64}}))))
	f.Add(uint8(2), c.Save())
	f.Add(uint8(1), []byte{stateVersion, 0x80, 0})
	f.Add(uint8(2), append(c.Save(), 0))
	f.Fuzz(func(t *testing.T, n uint8, b []byte) { checkLoad(t, NewCounts(int(n)), b) })
}
