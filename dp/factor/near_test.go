package factor

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// near compares with a printed number, to half a unit of its last digit.
func near(t *testing.T, what string, got float64, printed string) {
	t.Helper()
	var want float64
	if _, err := fmt.Sscan(printed, &want); err != nil {
		t.Fatal(err)
	}
	_, fraction, _ := strings.Cut(printed, ".")
	if unit := math.Pow10(-len(fraction)); math.Abs(got-want) > unit*(.5+1e-9) {
		t.Errorf("%s: %.6g, want %s", what, got, printed)
	}
}

// ofLeaves returns the greatest and the mean of a variance over leaves 1 … n.
func ofLeaves(n uint64, variance func(t uint64) float64) (most, mean float64) {
	for t := uint64(1); t <= n; t++ {
		v := variance(t)
		most = max(most, v)
		mean += v / float64(n)
	}
	return most, mean
}
