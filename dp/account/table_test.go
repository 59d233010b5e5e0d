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

// TestSigmaTable is the published comparison of calibrations for a sensitivity of 1.
func TestSigmaTable(t *testing.T) {
	for _, row := range []struct {
		epsilon, delta float64
		sigma          [5]string
	}{
		{.2, .1, [5]string{"2.299", "3.159", "10.96", "11.19", "11.24"}},
		{1, .1, [5]string{"1.086", "1.365", "2.358", "2.570", "2.248"}},
		{5, .1, [5]string{".425", ".493", ".597", ".764", ".450"}},
		{.2, 1e-5, [5]string{"16.30", "17.91", "24.10", "24.20", "24.22"}},
		{1, 1e-5, [5]string{"3.731", "4.045", "4.901", "5.003", "4.845"}},
		{5, 1e-5, [5]string{".892", ".953", "1.055", "1.149", ".969"}},
		{.2, 1e-6, [5]string{"18.99", "20.56", "26.38", "26.47", "26.49"}},
		{1, 1e-6, [5]string{"4.225", "4.531", "5.350", "5.443", "5.299"}},
		{5, 1e-6, [5]string{".980", "1.039", "1.139", "1.227", "1.060"}},
	} {
		for c := Analytic; c <= Classical; c++ {
			what := fmt.Sprintf("%v at (%v, %v)", c, row.epsilon, row.delta)
			near(t, what, must(c.Sigma(row.epsilon, row.delta, 1)), row.sigma[c])
		}
	}
}

// TestPapersTable compares Zhou and Chowdhury's σ0 for 400 batches with a joint release of both
// statistics, whose squared sensitivity is 2 if a record is omitted and 4.5 if it is replaced,
// and with what σ0 really delivers.
func TestPapersTable(t *testing.T) {
	const batches, levels = 400, 9
	out, replaced := math.Sqrt(2), math.Sqrt(4.5)
	for _, row := range []struct {
		epsilon, delta             float64
		sigma0, out, replace       string
		outFactor, replaceFactor   string
		split                      string
		outDelivered, repDelivered string
	}{
		{.2, .1, "78.51", "9.75", "14.63", "8.05", "5.37", "13.46", "0", "0"},
		{1, .1, "17.56", "4.61", "6.91", "3.81", "2.54", "6.10", "0", ".113"},
		{5, .1, "4.97", "1.80", "2.70", "2.75", "1.84", "2.22", ".871", "1.79"},
		{.2, 1e-5, "154.7", "69.2", "103.8", "2.24", "1.49", "97.5", ".083", ".129"},
		{1, 1e-5, "31.92", "15.83", "23.74", "2.02", "1.34", "22.05", ".464", ".723"},
		{5, 1e-5, "7.29", "3.78", "5.68", "1.93", "1.28", "5.08", "2.36", "3.74"},
	} {
		what := fmt.Sprintf("(%v, %v)", row.epsilon, row.delta)
		sigma0 := must(ZhouChowdhury(row.epsilon, row.delta, batches))
		near(t, what+" σ0", sigma0, row.sigma0)
		for _, side := range []struct {
			sensitivity             float64
			sigma, factor, delivers string
		}{{out, row.out, row.outFactor, row.outDelivered}, {replaced, row.replace, row.replaceFactor, row.repDelivered}} {
			sigma := must(TreeSigma(row.epsilon, row.delta, side.sensitivity, batches))
			near(t, what+" σ", sigma, side.sigma)
			near(t, what+" ratio", sigma0/sigma, side.factor)
			loss := must(Gaussian(side.sensitivity*math.Sqrt(levels), sigma0))
			near(t, what+" delivered", must(loss.Epsilon(row.delta)), side.delivers)
		}
		near(t, what+" split", must(TreeSigma(row.epsilon/2, row.delta/2, 1, batches)), row.split)
	}
	near(t, "Dubey and Pentland", must(DubeyPentland(1, 1e-5, batches, math.Sqrt2)), "309")
	near(t, "the same, tight", must(TreeSigma(1, 1e-5, 2, batches)), "22.4")
	near(t, "Gaussian at (1, 1e-6)", math.Pow(must(Analytic.Sigma(1, 1e-6, 1)), 2), "17.8")
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
