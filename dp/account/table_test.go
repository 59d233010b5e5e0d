package account

import (
	"fmt"
	"math"
	"testing"
)

// near compares with a printed number, to half a unit of its last digit.
func near(t *testing.T, what string, got float64, printed string) {
	t.Helper()
	var want float64
	if _, err := fmt.Sscan(printed, &want); err != nil {
		t.Fatal(err)
	}
	unit := 1.0
	for i := range printed {
		if printed[i] == '.' {
			unit = math.Pow10(i + 1 - len(printed))
		}
	}
	if math.Abs(got-want) > unit*(0.5+1e-9) {
		t.Errorf("%s: %v, want %s", what, got, printed)
	}
}

// must returns x and panics if there is an error.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestTheCurveOfMuHoldsUpToTheLattice shows why discrete noise needs a fine lattice, or ρ: at a σ
// of 4 units the exact curve is exceeded by 4 %, at 2^10 by a millionth.
func TestTheCurveOfMuHoldsUpToTheLattice(t *testing.T) {
	discrete := func(sigma float64, shift int) float64 {
		total, delta := 0.0, 0.0
		weight := func(x int) float64 { return math.Exp(-float64(x) * float64(x) / (2 * sigma * sigma)) }
		for x := int(-20 * sigma); x <= int(20*sigma); x++ {
			total += weight(x)
			delta += max(0, weight(x)-math.E*weight(x+shift))
		}
		return delta / total
	}
	near(t, "σ of 4 units, in millionths", 1e6*discrete(4, 1), "3.055")
	near(t, "analytic", 1e6*must(Mu(.25).Delta(1)), "2.924")
	fine := discrete(1<<10, 1<<8)
	if got := fine / must(Mu(.25).Delta(1)); math.Abs(got-1) > 2e-6 {
		t.Errorf("σ of 1024 units: %v times the analytic δ", got)
	}
	if got := must(Rho(.25 * .25 / 2).Delta(1)); got < 3.055e-6 {
		t.Errorf("ρ promises δ = %v, discrete noise of σ = 4 has 3.055e-6", got)
	}
}
