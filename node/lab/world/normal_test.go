package world

import (
	"math"
	"slices"
	"testing"
)

// TestQuickNumbersAreNormal: the distance to the normal distribution function, the shares of
// numbers between 64 equally likely bounds and beyond where the tail begins, and the first four
// moments, with a false alarm in a million each.
func TestQuickNumbersAreNormal(t *testing.T) {
	const n = 1 << 21
	q := quick{ziggurat: newZiggurat()}
	q.seed(3, 4)
	x := make([]float64, n)
	for at := 0; at < n; at += 9 { // as rows are drawn
		q.normals(x[at:min(at+9, n)])
	}
	var moments [5]float64
	var shares [64]float64
	beyond := 0.
	for _, v := range x {
		p := 1.
		for k := range moments {
			moments[k] += p / n
			p *= v
		}
		shares[min(int(64*math.Erfc(-v/math.Sqrt2)/2), 63)]++
		if math.Abs(v) > tail {
			beyond++
		}
	}
	for k, m := range []struct{ mean, variance float64 }{{1, 0}, {0, 1}, {1, 2}, {0, 15}, {3, 96}} {
		if off := math.Abs(moments[k] - m.mean); off > 5*math.Sqrt(m.variance/n) {
			t.Errorf("moment %d is %v", k, moments[k])
		}
	}
	chi := 0.
	for _, s := range shares {
		chi += (s - n/64.) * (s - n/64.) / (n / 64.)
	}
	if chi > 63+5*math.Sqrt(2*63)+17 { // the tail of χ² is longer than normal
		t.Errorf("χ² of 63 is %.1f", chi)
	}
	if want := n * math.Erfc(tail/math.Sqrt2); math.Abs(beyond-want) > 5*math.Sqrt(want) {
		t.Errorf("%v in the tail, want %.0f", beyond, want)
	}
	slices.Sort(x)
	far := 0.
	for i, v := range x {
		far = max(far, math.Abs(math.Erfc(-v/math.Sqrt2)/2-(float64(i)+.5)/n))
	}
	if far*math.Sqrt(n) > 2.7 { // 2·exp(-2·2.7²)
		t.Errorf("distance %v", far)
	}
}

// TestQuickNumbersFollowFromKeyAndRound, whatever was drawn before.
func TestQuickNumbersFollowFromKeyAndRound(t *testing.T) {
	tables := newZiggurat()
	draw := func(q *quick, key, round uint64) []float64 {
		q.seed(key, round)
		x := make([]float64, 20)
		q.normals(x)
		return append(x, q.Float64(), float64(q.IntN(7)))
	}
	a, b := &quick{ziggurat: tables}, &quick{ziggurat: tables, state: 5}
	if !slices.Equal(draw(a, 1, 2), draw(b, 1, 2)) {
		t.Error("numbers follow from what was drawn before")
	}
	for _, other := range [][2]uint64{{1, 3}, {2, 2}, {2, 1}} {
		if slices.Equal(draw(a, 1, 2)[:2], draw(b, other[0], other[1])[:2]) {
			t.Errorf("%v has the same numbers", other)
		}
	}
}
