package bandit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit/belief"
	"peerd.dev/internal/require"
)

func personalized(t testing.TB, arms, sites int, price float64) *Personalized {
	t.Helper()
	l := require.Value(PersonalizedParams{Price: price}.New(Config{Arms: arms, Peers: sites, Rand: rand.New(rand.NewPCG(5, 6))}))(t)
	return l.(*Personalized)
}

// say sets what a site says of an arm: the mean of n rewards, with noise of scale 1 in their sum for each of some
// draws.
func say(b *Belief, k, site int, mean, n, draws float64) {
	rows := slices.DeleteFunc(b.Sites[k], func(s belief.Site) bool { return s.Peer == site })
	rows = append(rows, belief.Site{Peer: site, Mean: mean, N: n, Released: n, LaplaceSumSq: draws / n / n, LaplaceMax: 1 / n})
	slices.SortFunc(rows, func(x, y belief.Site) int { return x.Peer - y.Peer })
	b.Sites[k] = rows
	b.X[k], b.SampleVar[k], b.LaplaceSumSq[k], b.LaplaceMax[k] = 0, 0, 0, 0
	for _, s := range rows {
		m := float64(len(rows))
		b.X[k] += s.Mean / m
		b.SampleVar[k] += 1 / s.N / m / m
		b.LaplaceSumSq[k] += s.LaplaceSumSq / m / m
		b.LaplaceMax[k] = max(b.LaplaceMax[k], s.LaplaceMax/m)
	}
}

// batches are what a site has released of an arm, and its batch under way. The first batch has 4 rewards, and another one half of what is
// released.
type batches struct{ sum, n, draws, open, paid float64 }

// play pulls an arm that pays 1 with a probability, and reports whether that releases a batch, with noise of scale 1.
func (a *batches) play(mean float64, rng *rand.Rand) (released bool) {
	if a.open++; rng.Float64() < mean {
		a.paid++
	}
	if a.open < max(4, math.Ceil(a.n/2)) {
		return false
	}
	a.sum += a.paid + rng.ExpFloat64() - rng.ExpFloat64()
	a.n, a.draws = a.n+a.open, a.draws+1
	a.open, a.paid = 0, 0
	return true
}

// playAlone plays rounds of a site, 0, with these means, and calls seen with every
// choice. What others say is in the belief, and seen may change it.
func playAlone(l Learner, b *Belief, means []float64, rounds int, rng *rand.Rand, seen func(Arm)) (regret float64) {
	arms := make([]batches, len(means))
	for t := range rounds {
		k := choose(l, b, Turn{Round: uint64(t)}).Arm
		seen(k)
		regret += slices.Max(means) - means[k]
		b.Pulls[k]++
		if a := &arms[k]; a.play(means[k], rng) {
			say(b, int(k), 0, a.sum/a.n, a.n, a.draws)
		}
	}
	return regret
}

// lies are what nine other sites say to mislead: that the worst arm pays 1 and the others 0, with a million rewards.
func lies(b *Belief) {
	for site := 1; site < 10; site++ {
		for k := range b.X {
			say(b, k, site, []float64{0, 0, 1}[k], 1e6, 1)
		}
	}
}

// choose renews a learner and lets it choose, as an agent does.
func choose(l Learner, b *Belief, t Turn) Choice {
	if r, ok := l.(Renewer); ok {
		r.Renew(b)
	}
	return l.Choose(b, t)
}

// TestLiesCostLittle: nine sites of ten that lie cost no more than twice what is lost alone, in addition. With one best arm for all
// they cost nearly all that can be lost.
func TestLiesCostLittle(t *testing.T) {
	means := []float64{.7, .5, .3}
	play := func(learner func() Learner, others func(*Belief)) (mean float64) {
		const runs = 60
		rng := rand.New(rand.NewPCG(2, 9))
		for range runs {
			b := belief.New(3, 1)
			others(&b)
			mean += playAlone(learner(), &b, means, 4000, rng, func(Arm) {}) / runs
		}
		return mean
	}
	own := func() Learner { return personalized(t, 3, 10, 20) }
	common := func() Learner { return imed(t, 3) }
	alone, lied, lost := play(own, func(*Belief) {}), play(own, lies), play(common, lies)
	t.Logf("own regret alone %.1f, with nine liars %.1f; with one best arm for all %.1f", alone, lied, lost)
	if lied > 3*alone {
		t.Errorf("liars cost %v, alone %v is lost", lied-alone, alone)
	}
	if lost < 10*alone {
		t.Errorf("with one best arm for all %v is lost: these are no lies", lost)
	}
}

// TestAPriceOfOneIsBeingAlone: then choices are the ones of imed by own rewards, whatever others say.
func TestAPriceOfOneIsBeingAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		b, own := belief.New(4, 1), belief.New(4, 1)
		for k := range 4 {
			x, n := rng.Float64(), math.Exp(6*rng.Float64())
			say(&own, k, 0, x, n, 3)
			say(&b, k, 0, x, n, 3)
			for site := range 5 {
				say(&b, k, site+1, rng.Float64(), 1000, 1)
			}
		}
		u, alone := personalized(t, 4, 6, 1), imed(t, 4)
		if got, want := choose(u, &b, Turn{}).Arm, choose(alone, &own, Turn{}).Arm; got != want {
			t.Fatalf("arm %d, alone %d", got, want)
		}
	}
}

// TestSitesCountByHowAlikeTheyAre: the mean of a site that is alike counts, and another one's hardly. A site
// that has released nothing yet takes over what others say.
func TestSitesCountByHowAlikeTheyAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	u, b := personalized(t, 8, 11, 20), belief.New(8, 1)
	truth := make([]float64, 8)
	for k := range truth {
		truth[k] = .2 + .6*rng.Float64()
		for site := range 11 {
			x := truth[k]
			if site > 5 {
				x = rng.Float64()
			}
			n := 2000.
			if site == 0 {
				n = 150
			}
			say(&b, k, site, x+.5/math.Sqrt(n)*rng.NormFloat64(), n, 1)
		}
	}
	choose(u, &b, Turn{})
	for site := 1; site < 11; site++ {
		w, own := u.near.precision(site, 1/8000.), 600.
		t.Logf("site %d: precision %.0f", site, w)
		if alike := site <= 5; alike && w < own || !alike && w > own/4 {
			t.Errorf("site %d of %v means has precision %v, own rewards have %v", site, alike, w, own)
		}
	}
	s := u.Summarize(&b)
	for k, x := range truth {
		if math.Abs(s.Estimates[k]-x) > .06 {
			t.Errorf("arm %d is estimated as %v, want %v", k, s.Estimates[k], x)
		}
	}
	late, b := personalized(t, 3, 11, 20), belief.New(3, 1)
	for site := 1; site < 11; site++ {
		for k, x := range []float64{.8, .2, .3} {
			say(&b, k, site, x, 1000, 3)
		}
	}
	if a := choose(late, &b, Turn{}).Arm; a != 0 {
		t.Errorf("a site that joins pulls arm %d, want the best one of all others", a)
	}
}

// TestSavedDistancesGoOn: a learner that loads a state chooses as the one that saved it.
func TestSavedDistancesGoOn(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	u, b := personalized(t, 3, 4, 20), belief.New(3, 1)
	for i := range 200 {
		say(&b, rng.IntN(3), rng.IntN(4), rng.Float64(), float64(5+3*i), 2)
		again := personalized(t, 3, 4, 20)
		require.NoError(t, again.Load(u.Save()))
		if i%3 == 0 {
			u.Summarize(&b) // reading the status changes nothing
		}
		for k := range b.Pulls {
			b.Pulls[k]++
		}
		if got, want := choose(again, &b, Turn{Round: uint64(i)}), choose(u, &b, Turn{Round: uint64(i)}); got != want {
			t.Fatalf("step %d: %v after a restart, want %v", i, got, want)
		}
	}
	if err := u.Load(make([]byte, 9)); err == nil {
		t.Error("a state of 9 bytes is taken")
	}
}
