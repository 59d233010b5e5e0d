package bandit

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit/belief"
)

// about returns the evidence of an arm with mean y over sites.
func about(y float64, sites ...belief.Site) *evidence {
	e := new(evidence)
	e.set(y, sites)
	return e
}

// plain returns the exponent at s, with the inner maximum over the means of at most two sites, by
// a slow and plain search.
func (e *evidence) plain(q, s float64) float64 {
	x := -e.count * s * e.y
	var sites []siteEvidence
	for _, c := range e.sites {
		if b := c.LaplaceMax; b > 0 {
			x += c.count * c.LaplaceSumSq / (b * b) * math.Log1p(-b*b*s*s)
		}
		x -= c.count * c.GaussVar * s * s / 2
		for range int(c.count) {
			sites = append(sites, c)
		}
	}
	log := func(i int, q float64) float64 {
		c := sites[i]
		return c.N * math.Log1p(q*math.Expm1(-s/c.N))
	}
	if len(sites) == 1 {
		return x - log(0, q)
	}
	lo, hi := max(0, 2*q-1), min(1, 2*q)
	for range 50 { // the sum is concave
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if log(0, a)+log(1, 2*q-a) < log(0, b)+log(1, 2*q-b) {
			lo = a
		} else {
			hi = b
		}
	}
	return x - log(0, lo) - log(1, 2*q-lo)
}

// brute returns the greatest q with an exponent of at most l, by a grid over s and
// bisection over q.
func (e *evidence) brute(l float64) float64 {
	top := e.top
	exponent := func(q float64) (most float64) {
		for i := range 400 { // s from the top down, by 3 % at a time, and in even steps
			most = max(most, e.plain(q, top*math.Pow(.97, float64(i))*(1-1e-9)), e.plain(q, top*float64(i)/400))
		}
		return most
	}
	from, to := max(0, min(e.y, 1)), 1.
	for range 20 {
		if q := (from + to) / 2; exponent(q) <= l {
			from = q
		} else {
			to = q
		}
	}
	return from
}

// TestTheIndexIsTheGreatestMeanNotRuledOut compares with a slow and plain search, for one site
// and for two.
func TestTheIndexIsTheGreatestMeanNotRuledOut(t *testing.T) {
	for _, e := range []*evidence{
		about(.3, belief.Site{N: 10}),
		about(.3, belief.Site{N: 1000}),
		about(0, belief.Site{N: 50}),
		about(.5, belief.Site{N: 100, LaplaceSumSq: 4e-4, LaplaceMax: .02}),
		about(.5, belief.Site{N: 100, LaplaceSumSq: 4e-3, LaplaceMax: .02}),
		about(.2, belief.Site{N: 20, GaussVar: .01}),
		about(.7, belief.Site{N: 400, LaplaceSumSq: 1e-4, LaplaceMax: .01, GaussVar: 1e-4}),
		about(-.1, belief.Site{N: 50, LaplaceSumSq: .01, LaplaceMax: .1}),
		about(.4, belief.Site{N: 50}, belief.Site{N: 50}),
		about(.4, belief.Site{N: 10}, belief.Site{N: 1000}),
		about(.8, belief.Site{N: 4, LaplaceSumSq: .0625, LaplaceMax: .25}, belief.Site{N: 400, LaplaceSumSq: 5e-5, LaplaceMax: .0025}),
		about(.1, belief.Site{N: 30, LaplaceSumSq: .003, LaplaceMax: .03}, belief.Site{N: 90, GaussVar: .002}),
	} {
		for _, l := range []float64{2, 8, 20} {
			got := e.greatest(l)
			if want := e.brute(l); got < 1 && math.Abs(got-want) > 2e-4 || got >= 1 && want < 1-2e-4 {
				t.Errorf("mean %v of %+v at %v: %v, want %v", e.y, e.sites, l, got, want)
			}
		}
	}
}

// TestTheIndexIsMonotone: in the mean and in the level, also beyond 0 and 1, where it orders arms
// that the bound cannot distinguish.
func TestTheIndexIsMonotone(t *testing.T) {
	for _, n := range []float64{1, 5, 100} {
		last := math.Inf(-1)
		for y := -3.; y <= 3; y += .05 {
			site := belief.Site{N: n, LaplaceSumSq: 3 * .04 / n, LaplaceMax: .2 / math.Sqrt(n)}
			e := about(y, site, belief.Site{N: 30 * n})
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

// TestTheIndexFallsWithPulls: more pulls at any site, or fewer draws of noise, make the index
// closer to the mean.
func TestTheIndexFallsWithPulls(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		sites := make([]belief.Site, 1+rng.IntN(4))
		for i := range sites {
			n, b := math.Exp(8*rng.Float64()), rng.Float64()
			sites[i] = belief.Site{N: n, LaplaceMax: b / n, LaplaceSumSq: float64(1+rng.IntN(20)) * b * b / n / n}
		}
		y, l := rng.Float64(), 1+20*rng.Float64()
		before := about(y, sites...).greatest(l)
		c := &sites[rng.IntN(len(sites))]
		if rng.IntN(2) == 0 {
			c.N *= 1 + rng.Float64()
		} else {
			c.LaplaceSumSq = max(c.LaplaceMax*c.LaplaceMax, c.LaplaceSumSq/2)
		}
		if after := about(y, sites...).greatest(l); !(after <= before+1e-6) {
			t.Fatalf("mean %v of %+v at %v: %v, before %v", y, sites, l, after, before)
		}
	}
}

// TestTheIndexCovers: released means of coins, with noise, have an index below the truth no more
// often than the level allows. At a quarter of the level they do, so the test would detect an
// index that is too low. Sites differ in their pulls by up to 1 : 100 and in their means.
func TestTheIndexCovers(t *testing.T) {
	const draws, l = 40_000, 3.
	rng := rand.New(rand.NewPCG(4, 2))
	type site struct {
		q     float64
		n     int
		b     float64 // scale of the Laplace noise in the sum
		draws int
		sd    float64 // of the Gaussian noise in the sum
	}
	for _, sites := range [][]site{
		{{q: .5, n: 20}},
		{{q: .2, n: 30, b: 3, draws: 1}},
		{{q: .8, n: 30, b: 1.5, draws: 4}},
		{{q: .5, n: 25, sd: 2.5}},
		{{q: .5, n: 4}, {q: .5, n: 400}},
		{{q: .9, n: 4, b: 1, draws: 1}, {q: .1, n: 400, b: 1, draws: 12}},
		{{q: .3, n: 4, b: 1, draws: 1}, {q: .5, n: 40, b: 1, draws: 6}, {q: .7, n: 400, b: 1, draws: 12}},
		{{q: .6, n: 10, sd: 4}, {q: .4, n: 1000, sd: 12}},
	} {
		under, less := 0, 0
		truth := 0.
		known := make([]belief.Site, len(sites))
		for i, c := range sites {
			truth += c.q / float64(len(sites))
			n := float64(c.n)
			known[i] = belief.Site{N: n, LaplaceMax: c.b / n, LaplaceSumSq: float64(c.draws) * c.b * c.b / n / n, GaussVar: c.sd * c.sd / n / n}
		}
		e := about(0, known...)
		for range draws {
			e.y = 0
			for _, c := range sites {
				sum := c.sd * rng.NormFloat64()
				for range c.n {
					if rng.Float64() < c.q {
						sum++
					}
				}
				for range c.draws {
					sum += c.b * rng.ExpFloat64() * float64(2*rng.IntN(2)-1)
				}
				e.y += sum / float64(c.n*len(sites))
			}
			if s := 0.; e.y < truth {
				if x := e.exponent(truth, &s); x > l {
					under++
				} else if x > l/4 {
					less++
				}
			}
		}
		want := draws * math.Exp(-l)
		t.Logf("%+v: %d of %.0f", sites, under, want)
		if float64(under) > want+5*math.Sqrt(want) {
			t.Errorf("%+v: %d of %d indices are below the mean, want at most %.0f", sites, under, draws, want)
		}
		if float64(under+less) < want {
			t.Errorf("%+v: at a quarter of the level %d are, fewer than %.0f: nothing would be found", sites, under+less, want)
		}
	}
}

// TestSitesOfWhichTheSameIsKnownCountTogether: an exponent and an index are what they are site by site.
func TestSitesOfWhichTheSameIsKnownCountTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for range 300 {
		var sites []belief.Site
		for range 2 + rng.IntN(3) {
			n := math.Exp(6 * rng.Float64())
			s := belief.Site{N: n, LaplaceMax: 1 / n, LaplaceSumSq: float64(1+rng.IntN(9)) / n / n, GaussVar: float64(rng.IntN(2)) / n / n}
			for range 1 + rng.IntN(5) {
				sites = append(sites, s)
			}
		}
		rng.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
		together := about(rng.Float64(), sites...)
		single := *together
		single.sites = nil
		for _, s := range sites {
			single.sites = append(single.sites, siteEvidence{Site: s, count: 1})
		}
		if len(together.sites) > 4 {
			t.Fatalf("%d kinds of sites, want at most 4", len(together.sites))
		}
		l, q := 1+20*rng.Float64(), together.y+(1-together.y)*rng.Float64()
		if a, b := together.greatest(l), single.greatest(l); math.Abs(a-b) > 1e-8*max(1, l) {
			t.Errorf("index %v of %v at %v, site by site %v", a, sites, l, b)
		}
		s, r := 0., 0.
		if a, b := together.exponent(q, &s), single.exponent(q, &r); math.Abs(a-b) > 1e-8*(1+b) {
			t.Errorf("exponent %v of %v at %v, site by site %v", a, sites, q, b)
		}
	}
}
