package account

import (
	"math"
	"testing"
)

// checkNumber fails for numbers that no function of this package may return.
func checkNumber(t *testing.T, what string, x float64, err error, most float64) {
	t.Helper()
	if err != nil && x != 0 {
		t.Errorf("%s: %v beside %v", what, x, err)
	}
	if !(0 <= x && x <= most) {
		t.Errorf("%s: %v", what, x)
	}
}

func FuzzConversions(f *testing.F) {
	f.Add(1.0, 1e-6, 1.0, uint64(9))
	f.Add(0.0, 0.5, 1e-9, uint64(1))
	f.Add(1e9, 1e-300, 1e5, uint64(math.MaxUint64))
	f.Add(1e-9, 0.999, 3e-9, uint64(400))
	f.Add(math.NaN(), math.Inf(1), -1.0, uint64(0))
	f.Fuzz(func(t *testing.T, epsilon, delta, x float64, n uint64) {
		d, err := Mu(x).Delta(epsilon)
		checkNumber(t, "δ of μ", d, err, 1)
		d, err = Rho(x).Delta(epsilon)
		checkNumber(t, "δ of ρ", d, err, 1)
		e, err := Mu(x).Epsilon(delta)
		checkNumber(t, "ε of μ", e, err, 2*maxEpsilon)
		e, err = Rho(x).Epsilon(delta)
		checkNumber(t, "ε of ρ", e, err, 2*maxEpsilon)
		mu, err := MuFor(epsilon, delta)
		checkNumber(t, "μ", float64(mu), err, maxMu)
		if err == nil && must(mu.Delta(epsilon)) > delta {
			t.Errorf("μ = %v is not (%v, %v)-private", mu, epsilon, delta)
		}
		sigma, err := Sigma(epsilon, delta, x)
		checkNumber(t, "σ", sigma, err, math.MaxFloat64)
		if err == nil && sigma == 0 {
			t.Error("no noise")
		}
		p, err := Loss{Pure: Cost(n)}.Power(x)
		checkNumber(t, "power", p, err, 1)
		p, err = Loss{Pure: Cost(n)}.Chance()
		checkNumber(t, "chance", p, err, 1)
		mu, err = MuOf(Cost(n))
		checkNumber(t, "μ of ε", float64(mu), err, maxMu)
		rho, err := RhoOf(Cost(n))
		checkNumber(t, "ρ of ε", float64(rho), err, maxRho)
	})
}

func FuzzLosses(f *testing.F) {
	f.Add(uint64(Nano), uint64(0), uint64(Nano), 1e-6, 1.0, 2.0, uint64(3))
	f.Add(uint64(0), uint64(math.MaxUint64), uint64(math.MaxUint64), 0.0, 0.0, 0.0, uint64(math.MaxUint64))
	f.Add(uint64(1), uint64(1), uint64(1), 0.9, 1e-9, 1e9, uint64(1<<63))
	f.Fuzz(func(t *testing.T, pure, square, epsilon uint64, delta, sensitivity, sigma float64, n uint64) {
		l := Loss{Cost(pure), Square(square)}
		d, err := l.Delta(sensitivity)
		checkNumber(t, "δ", d, err, 1)
		e, err := l.Epsilon(delta)
		checkNumber(t, "ε", e, err, 2*maxEpsilon)
		g, err := Gaussian(sensitivity, sigma)
		if err == nil && sensitivity > 0 && g.Square == 0 {
			t.Error("Gaussian noise that costs nothing")
		}
		if sum, sumErr := l.Plus(g); sumErr == nil && (sum.Pure < l.Pure || sum.Square < l.Square) {
			t.Errorf("%+v plus %+v is %+v", l, g, sum)
		}
		if many, manyErr := g.Times(n); manyErr == nil && n > 0 && many.Square < g.Square {
			t.Errorf("%d times %+v is %+v", n, g, many)
		}
		d18, err := DeltaOf(delta)
		if err != nil {
			return
		}
		b := Budget{Cost(epsilon), d18}
		count, err := b.Releases(l, g)
		if err != nil {
			return
		}
		spent, err := g.Times(count)
		if err == nil {
			spent, err = spent.Plus(l)
		}
		if ok, _ := b.Covers(spent); count > 0 && (err != nil || !ok) {
			t.Errorf("%+v does not cover the %d releases that it pays for", b, count)
		}
	})
}
