package world

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDrawnMeans: all lie in [0, 1), sites differ unless the draw is shared, and the
// same seed draws the same.
func TestDrawnMeans(t *testing.T) {
	draw := func(seed uint64, shared bool) [][]float64 {
		return Draw(3, 5, shared, rand.New(rand.NewPCG(seed, 0)))
	}
	a := draw(1, false)
	for i, row := range a {
		if len(row) != 5 || slices.Min(row) < 0 || slices.Max(row) >= 1 {
			t.Errorf("site %d: %v", i, row)
		}
	}
	if len(a) != 3 || slices.Equal(a[0], a[1]) || slices.Equal(a[1], a[2]) {
		t.Errorf("sites of a heterogeneous world are alike: %v", a)
	}
	if s := draw(1, true); !slices.Equal(s[0], s[1]) || !slices.Equal(s[0], s[2]) {
		t.Errorf("sites of a homogeneous world differ: %v", s)
	}
	if b, c := draw(1, false), draw(2, false); !slices.Equal(a[2], b[2]) || slices.Equal(a[2], c[2]) {
		t.Error("the means do not follow from the seed")
	}
}
