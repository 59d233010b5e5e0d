package account

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestDeltaToTwelveDigits compares with values computed in 400 decimal digits, which no result is
// below.
func TestDeltaToTwelveDigits(t *testing.T) {
	for _, c := range []struct{ mu, epsilon, delta float64 }{
		{1, 1, 1.26936737506643943e-01},
		{.25, 1, 2.92427210485640719e-06},
		{.01, 0, 3.98940618148164484e-03},
		{.001, .001, 8.33571321252084876e-05},
		{.0625, .5, 6.05633126797681311e-18},
		{1.5, 5, 1.59818951204621605e-03},
		{.5, .5, 5.24403232876696629e-02},
		{3, 1, 7.87600741360384493e-01},
		{8, 2, 9.99832604598233310e-01},
		{8, 40, 1.32089945622995864e-01},
		{.125, 1, 1.55308438650257919e-17},
		{1e-6, 1e-6, 8.33155122454253940e-08},
		{.2, 1.5, 1.73395166750120163e-15},
		{.3, 5, 2.46551618851154269e-63},
		{10, 0, 9.99999426696856264e-01},
	} {
		got := must(Mu(c.mu).Delta(c.epsilon))
		if got < c.delta || got > c.delta*(1+2e-12) {
			t.Errorf("μ = %v, ε = %v: δ = %v, want %v or a little more", c.mu, c.epsilon, got, c.delta)
		}
	}
}

// TestDeltaIsTheMeanOfTheLoss integrates δ = ∫ φ(s+x)·(1-e^-μs) ds instead.
func TestDeltaIsTheMeanOfTheLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := rapid.Float64Range(.05, 6).Draw(t, "mu")
		epsilon := rapid.Float64Range(0, 8).Draw(t, "epsilon")
		x := epsilon/mu - mu/2
		if x > 25 {
			t.Skip("nothing to integrate")
		}
		const n = 20_000
		width, sum := 12+max(0, -x), 0.0
		for i := range n + 1 { // Simpson
			s, w := width*float64(i)/n, 2.0
			if i%2 == 1 {
				w = 4
			}
			if i == 0 || i == n {
				w = 1
			}
			sum -= w * density(s+x) * math.Expm1(-mu*s)
		}
		sum *= width / n / 3
		if got := must(Mu(mu).Delta(epsilon)); math.Abs(got-sum) > 1e-9*sum+1e-300 {
			t.Fatalf("δ = %v, the integral is %v", got, sum)
		}
	})
}

// TestInversesStayOnTheSafeSide: a result keeps the promise, and slightly less noise would not.
func TestInversesStayOnTheSafeSide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon := rapid.Float64Range(.01, 20).Draw(t, "epsilon")
		delta := math.Pow(10, -rapid.Float64Range(.1, 30).Draw(t, "digits"))
		mu := must(MuFor(epsilon, delta))
		rho := Rho(mu * mu / 2)
		if must(mu.Delta(epsilon)) > delta || must((mu*1.000001).Delta(epsilon)) <= delta {
			t.Errorf("μ = %v for (%v, %v)", mu, epsilon, delta)
		}
		if must(rho.Delta(epsilon)) < delta {
			t.Errorf("ρ = %v allows less than μ = %v, which is exact", rho, mu)
		}
		for _, back := range []float64{must(mu.Epsilon(delta)), must(rho.Epsilon(must(rho.Delta(epsilon))))} {
			if back > epsilon*(1+1e-9) || back < epsilon*(1-1e-5) {
				t.Errorf("ε = %v, want %v", back, epsilon)
			}
		}
		if s := must(Sigma(epsilon, delta, 3)); must(Gaussian(3, s)).Square < Square(float64(mu*mu)*Nano) {
			t.Errorf("σ = %v is charged less than μ = %v", s, mu)
		}
	})
}

// TestPureIsACoin checks the three equivalents on randomized response: δ by its
// definition, μ by the error rates of the best test, ρ by divergences of many orders.
func TestPureIsACoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cost := Cost(rapid.Uint64Range(1000, 30*Nano).Draw(t, "cost"))
		epsilon := cost.Float()
		p, q := 1/(1+math.Exp(-epsilon)), 1/(1+math.Exp(epsilon))

		at := epsilon * rapid.Float64Range(0, 1.1).Draw(t, "at")
		if got, want := must(Loss{Pure: cost}.Delta(at)), max(0, p-math.Exp(at)*q); math.Abs(got-want) > 1e-12 {
			t.Errorf("δ(%v) = %v, want %v", at, got, want)
		}
		mu := float64(must(MuOf(cost)))
		if e := tail(mu / 2); e > q*(1+1e-12) || e < q*(1-1e-5) {
			t.Errorf("μ = %v errs with %v, the coin with %v", mu, e, q)
		}
		rho := float64(must(RhoOf(cost)))
		for _, over := range []float64{1e-4, .1, 1, 3, 30} {
			heads, tails := over*epsilon+math.Log(p), -over*epsilon+math.Log(q)
			d := (heads + math.Log1p(math.Exp(tails-heads))) / over
			if d > (1+over)*rho*(1+1e-9)+1e-9 {
				t.Errorf("ε = %v: divergence %v of order %v, ρ = %v", epsilon, d, 1+over, rho)
			}
		}
		if c := must(Loss{Pure: cost}.Chance()); c < p || c > p*(1+1e-12) {
			t.Errorf("chance %v, want %v", c, p)
		}
		if got, want := must(Loss{Pure: cost}.Power(q)), p; math.Abs(got-want) > 1e-12 {
			t.Errorf("power %v at the coin's own error, want %v", got, want)
		}
	})
}

// TestMixedLossIsExactAndBetweenItsBounds: the δ of a pure and a Gaussian part together is at
// least each one's own, and at most the δ from adding ε, and from adding μ².
func TestMixedLossIsExactAndBetweenItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Loss{
			Cost(rapid.Uint64Range(1_000_000, 3*Nano).Draw(t, "pure")),
			Square(rapid.Uint64Range(1_000_000, 9*Nano).Draw(t, "square")),
		}
		epsilon := rapid.Float64Range(0, 8).Draw(t, "epsilon")
		got := must(l.Delta(epsilon))
		gauss := float64(l.Square.Mu())
		for _, part := range []Loss{{Pure: l.Pure}, {Square: l.Square}} {
			if got < must(part.Delta(epsilon))*(1-1e-12)-1e-300 {
				t.Errorf("%+v: δ(%v) = %v is below a part's", l, epsilon, got)
			}
		}
		added := gaussianDeltaAny(gauss, epsilon-l.Pure.Float())
		squares := must(Mu(math.Hypot(gauss, float64(must(MuOf(l.Pure))))).Delta(epsilon))
		if got > added*(1+1e-12)+1e-300 || got > squares*(1+1e-9)+1e-300 {
			t.Errorf("%+v: δ(%v) = %v, above %v or %v", l, epsilon, got, added, squares)
		}
		if e := must(l.Epsilon(1e-6)); must(l.Delta(e)) > 1e-6 {
			t.Errorf("%+v: ε = %v has δ above 1e-6", l, e)
		}
	})
}

// TestABudgetPaysForExactlySoMany: one more does not fit, and spending is never free.
func TestABudgetPaysForExactlySoMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Budget{Epsilon: Cost(rapid.Uint64Range(1, 5*Nano).Draw(t, "epsilon")), Delta: rapid.SampledFrom([]Delta{0, atto * 1e-6, atto * 1e-3}).Draw(t, "delta")}
		each := Loss{Cost(rapid.Uint64Range(0, Nano).Draw(t, "pure")), Square(rapid.Uint64Range(0, Nano).Draw(t, "square"))}
		spent := Loss{Cost(rapid.Uint64Range(0, Nano).Draw(t, "spent pure")), Square(rapid.Uint64Range(0, Nano).Draw(t, "spent square"))}
		if each == (Loss{}) {
			t.Skip("free")
		}
		n := must(b.Releases(spent, each))
		fits := func(n uint64) bool {
			l, err := each.Times(n)
			if err == nil {
				l, err = spent.Plus(l)
			}
			return err == nil && must(b.Covers(l))
		}
		if n > 0 && !fits(n) || fits(0) && fits(n+1) {
			t.Errorf("%+v, %+v of each: %d releases", b, each, n)
		}
	})
}

// TestWithoutDeltaNoGaussianNoiseIsPaidFor, however little it costs.
func TestWithoutDeltaNoGaussianNoiseIsPaidFor(t *testing.T) {
	for _, l := range []Loss{{0, 1}, {1, 1}, {Nano, Nano - 1}} {
		if must(Budget{Epsilon: 2 * Nano}.Covers(l)) {
			t.Errorf("%+v is paid for", l)
		}
	}
	if !must(Budget{Epsilon: 2 * Nano}.Covers(Loss{Pure: Nano})) {
		t.Error("a pure loss is not paid for")
	}
}

// TestTheExactBudgetPaysForMore: a budget of (1, 1e-5) pays for 718 releases of σ = 100 by the
// exact curve, and for 399 by the ρ = ε²/4(ln(1/δ)+ε) of papers on linear bandits.
func TestTheExactBudgetPaysForMore(t *testing.T) {
	each := must(Gaussian(1, 100))
	if n := must(Budget{Nano, atto * 1e-5}.Releases(Loss{}, each)); n != 718 {
		t.Errorf("%d releases, want 718", n)
	}
	if n := int(1e4 / math.Pow(math.Sqrt(2*(math.Log(1e5)+1)), 2)); n != 399 {
		t.Errorf("%d releases by the papers' formula, want 399", n)
	}
}

func TestWhatIsNoNumberIsRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, bad := range []float64{nan, inf, -inf, -1} {
		for i, err := range []error{
			second(Mu(bad).Delta(1)), second(Mu(1).Delta(bad)), second(Mu(1).Epsilon(bad)), second(Mu(bad).Epsilon(.1)),
			second(MuFor(bad, .1)), second(MuFor(1, bad)),
			second(Rho(bad).Delta(1)), second(Rho(1).Delta(bad)), second(Rho(1).Epsilon(bad)), second(Rho(bad).Epsilon(.1)),
			second(Sigma(bad, .1, 1)), second(Sigma(1, bad, 1)), second(Sigma(1, .1, bad)),
			second(Gaussian(bad, 1)), second(Gaussian(1, bad)), second(Gaussian(1, 0)),
			second(Loss{Pure: 1}.Delta(bad)), second(Loss{Pure: Infinite}.Delta(1)), second(Loss{Square: math.MaxUint64}.Delta(1)),
			second(Loss{Pure: 1}.Power(bad)), second(Loss{Pure: Infinite}.Power(.1)), second(Loss{Pure: Infinite}.Chance()),
			second(MuOf(Infinite)), second(RhoOf(Infinite)),
			second(Loss{Pure: Nano}.Times(math.MaxUint64)), second(Loss{Pure: 1 << 59}.Times(32)), second(Loss{Square: 1 << 60}.Times(16)),
			second(DeltaOf(bad)), second(Budget{Nano, 0}.Releases(Loss{}, Loss{})),
		} {
			if !errors.Is(err, ErrRange) {
				t.Errorf("case %d with %v: %v, want a refusal", i, bad, err)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestLossesAddUp: in sequence both parts add; in parallel the greater one counts.
func TestLossesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Loss{Cost(rapid.Uint64Range(0, 9*Nano).Draw(t, "pure")), Square(rapid.Uint64Range(0, 9*Nano).Draw(t, "square"))}
		m := Loss{Cost(rapid.Uint64Range(0, 9*Nano).Draw(t, "other pure")), Square(rapid.Uint64Range(0, 9*Nano).Draw(t, "other square"))}
		if sum := must(l.Plus(m)); sum != (Loss{l.Pure + m.Pure, l.Square + m.Square}) {
			t.Errorf("%+v and %+v are %+v", l, m, sum)
		}
		if sum := must(must(l.Plus(l)).Plus(l)); sum != must(l.Times(3)) {
			t.Errorf("three of %+v are %+v and %+v", l, sum, must(l.Times(3)))
		}
	})
}

func TestTheGreatestPureLossHasItsMu(t *testing.T) {
	mu := must(MuOf(Nano * Nano))
	if mu < 89442 || mu.Check() != nil {
		t.Errorf("μ = %v at ε = 1e9", mu)
	}
}
