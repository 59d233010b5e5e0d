package bandit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// brute returns the greatest q with an exponent of at most l, by a grid over h and
// bisection over q.
func (e evidence) brute(l float64) float64 {
	exponent := func(q float64) (most float64) {
		hi := e.n * 40
		if e.b > 0 {
			hi = min(hi, 1/e.b)
		}
		for i := range 20_000 {
			if x := e.at(q, hi*float64(i)/20_000); x > most {
				most = x
			}
		}
		return most
	}
	lo, hi := max(0, min(e.y, 1)), 1.
	for range 40 {
		if q := (lo + hi) / 2; exponent(q) <= l {
			lo = q
		} else {
			hi = q
		}
	}
	return lo
}

// TestTheIndexIsTheGreatestMeanNotRuledOut compares with a search that is slow and plain.
func TestTheIndexIsTheGreatestMeanNotRuledOut(t *testing.T) {
	for _, e := range []evidence{
		{y: .3, n: 10},
		{y: .3, n: 1000},
		{y: 0, n: 50},
		{y: .5, n: 100, v: 4e-4, b: .02},
		{y: .5, n: 100, v: 4e-3, b: .02},
		{y: .2, n: 20, g: .01},
		{y: .7, n: 400, v: 1e-4, b: .01, g: 1e-4},
		{y: -.1, n: 50, v: .01, b: .1},
	} {
		for _, l := range []float64{2, 8, 20} {
			got := e.greatest(l)
			if want := e.brute(l); got < 1 && math.Abs(got-want) > 1e-4 || got >= 1 && want < 1-1e-4 {
				t.Errorf("%+v at %v: %v, want %v", e, l, got, want)
			}
		}
	}
}

// TestTheIndexWithoutNoiseIsKLUCB: it solves n kl(y, q) = l.
func TestTheIndexWithoutNoiseIsKLUCB(t *testing.T) {
	for _, y := range []float64{.01, .3, .9} {
		e := evidence{y: y, n: 200}
		q := e.greatest(5)
		if kl := y*math.Log(y/q) + (1-y)*math.Log((1-y)/(1-q)); math.Abs(200*kl-5) > 1e-5 {
			t.Errorf("y %v: index %v has exponent %v, want 5", y, q, 200*kl)
		}
	}
}

// TestTheIndexIsMonotone: in the mean and in the level, also past 0 and 1, where it orders
// what the bound cannot tell apart.
func TestTheIndexIsMonotone(t *testing.T) {
	for _, n := range []float64{1, 5, 100} {
		last := math.Inf(-1)
		for y := -3.; y <= 3; y += .05 {
			e := evidence{y: y, n: n, v: 3 * .04 / n, b: .2 / math.Sqrt(n)}
			q := e.greatest(6)
			if q < last-1e-7 || math.IsNaN(q) {
				t.Errorf("n %v, mean %v: index %v after %v", n, y, q, last)
			}
			if e.greatest(7) < q-1e-7 {
				t.Errorf("n %v, mean %v: a higher level gives a lower index", n, y)
			}
			last = q
		}
	}
}

// TestTheIndexCovers: released means of coins, with noise, have an index below the truth
// no more often than the level says; at 30 % of the level they do, so the test would find
// an index that is too low.
func TestTheIndexCovers(t *testing.T) {
	const draws, l = 100_000, 3.
	rng := rand.New(rand.NewPCG(4, 2))
	for _, c := range []struct {
		q, n, b float64
		terms   int
		sd      float64
	}{{.5, 20, 0, 0, 0}, {.2, 30, .1, 1, 0}, {.8, 30, .05, 4, 0}, {.5, 25, 0, 0, .1}} {
		under, less := 0, 0
		for range draws {
			y := 0.
			for range int(c.n) {
				if rng.Float64() < c.q {
					y += 1 / c.n
				}
			}
			for range c.terms {
				y += c.b * rng.ExpFloat64() * float64(2*rng.IntN(2)-1)
			}
			y += c.sd * rng.NormFloat64()
			e := evidence{y, c.n, float64(c.terms) * c.b * c.b, c.b, c.sd * c.sd}
			if h := 0.; e.y < c.q {
				if x := e.exponent(c.q, &h); x > l {
					under++
				} else if x > .3*l {
					less++
				}
			}
		}
		want := draws * math.Exp(-l)
		if float64(under) > want+5*math.Sqrt(want) {
			t.Errorf("%+v: %d of %d indices are below the mean, want at most %.0f", c, under, draws, want)
		}
		if float64(under+less) < want {
			t.Errorf("%+v: at 30 %% of the level %d are, fewer than %.0f: nothing would be found", c, under+less, want)
		}
	}
}

func BenchmarkKLUCBIndex(b *testing.B) { // limit: 2 µs
	e := evidence{y: .4, n: 300, v: 2e-4, b: .01}
	for i := range b.N {
		e.y = .4 + float64(i%100)/1000
		_ = e.greatest(18)
	}
}
