package account

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"
)

// bigBits is the precision of the exact values: computing the δ of a loss cancels some 110 bits
// when x is 12.
const bigBits = 512

func number(x float64) *big.Float { return new(big.Float).SetPrec(bigBits).SetFloat64(x) }

func nano(n int64) *big.Float {
	x := new(big.Float).SetPrec(bigBits).SetInt64(n)
	return x.Quo(x, number(Nano))
}

func plus(a, b *big.Float) *big.Float  { return new(big.Float).Add(a, b) }
func minus(a, b *big.Float) *big.Float { return new(big.Float).Sub(a, b) }
func times(a, b *big.Float) *big.Float { return new(big.Float).Mul(a, b) }
func over(a, b *big.Float) *big.Float  { return new(big.Float).Quo(a, b) }

// small reports whether a term no longer changes a sum.
func small(term, sum *big.Float) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-bigBits
}

// bigExp returns e^x by its series at x/2^k.
func bigExp(x *big.Float) *big.Float {
	k := max(0, x.MantExp(nil)) + 16
	y := new(big.Float).SetMantExp(x, -k)
	sum, term := number(1), number(1)
	for n := 1.0; !small(term, sum); n++ {
		term = over(times(term, y), number(n))
		sum = plus(sum, term)
	}
	for range k {
		sum = times(sum, sum)
	}
	return sum
}

// bigPi returns π by Machin's formula.
func bigPi() *big.Float {
	arctan := func(inverse float64) *big.Float {
		term := over(number(1), number(inverse))
		sum, square := number(0), number(inverse*inverse)
		for n := 1.0; !small(term, sum); n += 2 {
			part := over(term, number(n))
			if int(n)%4 == 3 {
				part.Neg(part)
			}
			sum, term = plus(sum, part), over(term, square)
		}
		return sum
	}
	return minus(times(number(16), arctan(5)), times(number(4), arctan(239)))
}

// bigTail returns Φ(-x) = 1/2 - φ(x)·(x + x³/3 + x⁵/(3·5) + …).
func bigTail(x, pi *big.Float) *big.Float {
	square := times(x, x)
	sum, term := number(0), new(big.Float).Copy(x)
	for n := 3.0; !small(term, sum); n += 2 {
		sum = plus(sum, term)
		term = over(times(term, square), number(n))
	}
	root := new(big.Float).Sqrt(times(number(2), pi))
	density := over(bigExp(times(square, number(-.5))), root)
	return minus(number(.5), times(density, sum))
}

// bigDelta returns δ(ε; μ) = Φ(-x) - e^ε·Φ(-y) for an ε of either sign or, for x above 12, the
// lower bound 0.
func bigDelta(epsilon, mu, pi *big.Float) *big.Float {
	x := minus(over(epsilon, mu), times(mu, number(.5)))
	if x.Cmp(number(12)) > 0 {
		return number(0)
	}
	return minus(bigTail(x, pi), times(bigExp(epsilon), bigTail(plus(x, mu), pi)))
}

// exactDelta returns δ of a loss at an ε: p·δ(ε-pure; μ) + q·δ(ε+pure; μ).
func exactDelta(l Loss, epsilon, pi *big.Float) *big.Float {
	pure := nano(int64(l.Pure))
	mu := new(big.Float).Sqrt(nano(int64(l.Square)))
	one, tails := number(1), bigExp(new(big.Float).Neg(pure))
	p := over(one, plus(one, tails))
	return plus(times(p, bigDelta(minus(epsilon, pure), mu, pi)), times(times(p, tails), bigDelta(plus(epsilon, pure), mu, pi)))
}

// TestMixedLossesErrUpward compares the δ of mixed losses, and the ε of a δ, with exact
// arithmetic: what is charged is no less, and at most a part in 10^10 more. With a small μ and a
// large pure loss, a rounded difference of two ε would show.
func TestMixedLossesErrUpward(t *testing.T) {
	pi := bigPi()
	if f, _ := pi.Float64(); f != math.Pi {
		t.Fatalf("π = %v", f)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, most := range []float64{1, 10, 1e3, 1e6, 1e9} {
		n := 20
		if os.Getenv("PEERD_LONG") != "" {
			n = 140
		}
		for range n {
			l := Loss{Cost(most * Nano * random.Float64()), Square(math.Pow(10, 3*random.Float64()))}
			if random.IntN(4) == 0 {
				l.Square *= 1e6
			}
			// ε within 12 μ of the pure loss, where δ is between 1 and 10^-30.
			off := int64(float64(l.Square.Mu()) * Nano * (24*random.Float64() - 12))
			budget := Cost(max(0, int64(l.Pure)+off))
			exact := exactDelta(l, nano(int64(budget)), pi)
			got := l.deltaAt(budget)
			if number(got).Cmp(exact) < 0 || number(got).Cmp(times(exact, number(1+1e-10))) > 0 && got > 1e-20 {
				t.Errorf("%+v at ε = %v: δ = %v, want %v or a little more", l, budget, got, exact.Text('g', 20))
			}
			// At an ε between two units of 10^-9, and the least ε of a δ.
			between := budget.Float() + random.Float64()*1e-9
			if delta, err := l.Delta(between); err == nil && number(delta).Cmp(exactDelta(l, number(between), pi)) < 0 {
				t.Errorf("%+v at ε = %v: δ = %v is too small", l, between, delta)
			}
			if delta := got * random.Float64(); delta > 1e-25 && delta < 1 {
				if epsilon, err := l.Epsilon(delta); err == nil && exactDelta(l, number(epsilon), pi).Cmp(number(delta)) > 0 {
					t.Errorf("%+v: ε = %v of δ = %v is too small", l, epsilon, delta)
				}
			}
		}
	}
}

// TestPureLossesErrUpward does the same for a pure loss alone, whose δ is p - e^ε·q.
func TestPureLossesErrUpward(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, most := range []float64{1e-6, 1, 1e3, 1e6, 1e9} {
		for range 50 {
			l := Loss{Pure: Cost(most * Nano * random.Float64())}
			epsilon := l.Pure - min(l.Pure, Cost(random.IntN(1000)))
			tails := bigExp(new(big.Float).Neg(nano(int64(l.Pure))))
			less := bigExp(new(big.Float).Neg(nano(int64(l.Pure - epsilon))))
			exact := over(minus(number(1), less), plus(number(1), tails))
			if got := l.deltaAt(epsilon); number(got).Cmp(exact) < 0 || number(got).Cmp(times(exact, number(1+1e-10))) > 0 && got > 1e-300 {
				t.Errorf("%v at ε = %v: δ = %v, want %v or a little more", l, epsilon, got, exact.Text('g', 20))
			}
		}
	}
}
