package bandit

import "testing"

// TestAnIndexMayHaveOtherUnits: of an arm that a peer is ahead of, the rested index counts, and not
// the mean, which is another number.
func TestAnIndexMayHaveOtherUnits(t *testing.T) {
	b := known(1000, .5, .4)
	b.Ahead[1] = true
	for _, c := range []struct {
		rested float64
		want   Arm
	}{{-9, 0}, {-1, 1}} {
		if got := Greatest(b, Turn{Round: 1000}, []float64{-3, -2}, []float64{-3, c.rested}); got != c.want {
			t.Errorf("rested %v: arm %d, want %d", c.rested, got, c.want)
		}
	}
}
