package dp

import (
	"math"
	"testing"

	"peerd.dev/dp/account"
)

// TestTightFactorizationAgainstThePapersTree measures releases of the sums that linear bandits
// need, d = 10 and 400 batches at (1, 1e-5): with the tree and the noise that Zhou and Chowdhury
// (2024) print, and with buffers and exact noise. The greatest deviation over the batches is 5.8
// times smaller if neighbours omit a record, and 3.8 times if they replace one.
func TestTightFactorizationAgainstThePapersTree(t *testing.T) {
	const batches, features, rows = 400, 10, 40
	worst := func(m Mechanism, k Calibration, a Adjacency) float64 {
		s := Spec{
			What: "gain", Streams: rows, Shape: Linear, Dim: features, Lo: -1, Hi: 1, Leaves: batches, RecordsPerUser: 1,
			Mechanism: m, Calibration: k, Adjacency: a, Epsilon: Nano, Delta: 1e-5,
		}
		d, err := NewCurator(Lockstep, account.Budget{Epsilon: Nano, Delta: 1e13}, seeded(9))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = d.Open(s); err != nil {
			t.Fatal(err)
		}
		c := d.TakeCharges()[0]
		most, off := 0.0, 0.0
		for k := uint64(1); k <= batches; k++ {
			square, n := 0.0, 0.0
			for i := range StreamID(rows) {
				l, err := d.Leaf(i, k)
				if err != nil {
					t.Fatal(err)
				}
				for j := range l.Sum.Len() { // there are no records, so everything is noise
					square += l.Sum.At(j) * l.Sum.At(j)
					n++
				}
			}
			d.TakeDrawn()
			want := c.SumNoise(k).Moments(unit(GridExponent)).Variance()
			off = max(off, math.Abs(square/n/want-1))
			most = max(most, want)
		}
		if off > .12 { // 2600 numbers per batch have a relative error of 2.8 %
			t.Errorf("%v, %v: variance off its prediction by %.3f", m, k, off)
		}
		return math.Sqrt(most)
	}
	for a, want := range map[Adjacency]float64{ZeroOut: 5.8, ReplaceOne: 3.8} {
		paper, tight := worst(TreeGaussian, Paper, a), worst(BLT, Tight, a)
		t.Logf("%v: deviation %.1f with tree and paper, %.2f with blt and tight: %.2f times", a, paper, tight, paper/tight)
		if got := paper / tight; math.Abs(got/want-1) > .015 {
			t.Errorf("%v: %.2f times, want %.1f", a, got, want)
		}
	}
}
