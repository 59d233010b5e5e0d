package account

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// anyLoss draws a pure part, a Gaussian one, or both.
func anyLoss(t *rapid.T) Loss {
	l := Loss{
		Cost(rapid.Uint64Range(1_000_000, 5*Nano).Draw(t, "pure")),
		Square(rapid.Uint64Range(1_000_000, 16*Nano).Draw(t, "square")),
	}
	switch rapid.IntRange(0, 2).Draw(t, "part") {
	case 0:
		l.Pure = 0
	case 1:
		l.Square = 0
	}
	return l
}

// TestChanceIsTheIntegral integrates the greater of the two densities, half of which is the
// chance to guess right, for a coin and a number of N(0, 1) or N(μ, 1).
func TestChanceIsTheIntegral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLoss(t)
		mu, pure := float64(l.Square.Mu()), l.Pure.Float()
		p, q := 1/(1+math.Exp(-pure)), 1/(1+math.Exp(pure))
		const n = 40_000
		sum, lo, width := 0.0, -12.0, mu+24
		for i := range n { // midpoints
			x := lo + width*(float64(i)+.5)/n
			none, some := density(x), density(x-mu)
			sum += max(p*none, q*some) + max(q*none, p*some)
		}
		sum *= width / n / 2
		if got := must(l.Chance()); got < sum-1e-7 || got > sum+1e-7 {
			t.Errorf("%+v: chance %v, the integral is %v", l, got, sum)
		}
	})
}

// TestPowerIsThatOfTheBestTest: Neyman and Pearson's test claims the fact where it is some factor
// more likely. Its errors are tails of the normal distribution.
func TestPowerIsThatOfTheBestTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLoss(t)
		mu, pure := float64(l.Square.Mu()), l.Pure.Float()
		p, q := 1/(1+math.Exp(-pure)), 1/(1+math.Exp(pure))
		at := rapid.Float64Range(-4, 4).Draw(t, "threshold")
		if mu == 0 { // the coin's best test is one side of it
			for wrong, power := range map[float64]float64{q: p, q / 2: p / 2, (1 + q) / 2: (1 + p) / 2} {
				if got := must(l.Power(wrong)); math.Abs(got-power) > 1e-12 {
					t.Errorf("%+v: power %v at %v, want %v", l, got, wrong, power)
				}
			}
			return
		}
		heads, tails := (at-pure)/mu, (at+pure)/mu
		wrong := min(1, q*tail(heads+mu/2)+p*tail(tails+mu/2)) // over 1 by rounding
		power := p*tail(heads-mu/2) + q*tail(tails-mu/2)
		if got := must(l.Power(wrong)); got < power-1e-12 || got > power+1e-9 {
			t.Errorf("%+v: power %v at %v, want %v", l, got, wrong, power)
		}
	})
}

// TestPowerAtTheEnds: a test that is never wrong claims nothing, and one that may always be wrong
// claims everything.
func TestPowerAtTheEnds(t *testing.T) {
	for _, l := range []Loss{{}, {Pure: Nano}, {Square: Nano}, {Nano, Nano}, {1, 1}, {Nano * 1e9, 0}} {
		if got := must(l.Power(1)); got != 1 {
			t.Errorf("%+v: power %v at 1", l, got)
		}
		if got := must(l.Power(0)); got > 1e-12 && l.Pure < 700*Nano {
			t.Errorf("%+v: power %v at 0", l, got)
		}
		if got := must(l.Power(.1)); got < .1 || got > 1 {
			t.Errorf("%+v: power %v at 0.1", l, got)
		}
	}
}
