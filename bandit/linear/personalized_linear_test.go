package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/bandit/score"
)

const linearFeatures = 4

func personalizedLinear(t testing.TB, arms int, records Records, nats float64) *PersonalizedLinear {
	t.Helper()
	p := PersonalizedLinearParams{Features: linearFeatures, Records: records, Price: math.Exp(nats), Map: bandit.Concat}
	l, err := p.New(bandit.Config{Arms: arms, Peers: 6, Rand: rand.New(rand.NewPCG(3, 4))})
	if err != nil {
		t.Fatal(err)
	}
	return l.(*PersonalizedLinear)
}

// choose renews a learner and lets it choose, as an agent does.
func choose(u *PersonalizedLinear, b *bandit.Belief, t bandit.Turn) bandit.Choice {
	u.Renew(b)
	return u.Choose(b, t)
}

// release sets a site's row to a problem's sums with noise of a deviation.
func release(b *bandit.Belief, site int, x *problem, sigma float64) {
	x.release(sigma)
	rows := slices.DeleteFunc(b.Sites[0], func(s belief.Site) bool { return s.Peer == site })
	rows = append(rows, belief.Site{Peer: site, Sum: slices.Clone(x.b.X), N: x.n, GaussVar: sigma * sigma})
	slices.SortFunc(rows, func(a, b belief.Site) int { return a.Peer - b.Peer })
	b.Sites[0], b.SampleVar[0] = rows, 1/x.n
}

// neighbourhood returns a belief about six sites, of which the own one, 0, has some records and others many. Two others
// have its parameter, two have one apart and the last one has released nothing.
func neighbourhood(own int, sigma float64) (b belief.Belief, mine *problem) {
	b = belief.New(1, linearFeatures*(linearFeatures+3)/2)
	mine = newProblem(linearFeatures, 1)
	for site := range 5 {
		x := newProblem(linearFeatures, uint64(1+site))
		n := 4000
		switch {
		case site == 0:
			x, n = mine, own
		case site <= 2:
			x.theta = mine.theta
		default:
			for i, v := range mine.theta {
				x.theta[i] = -v
			}
			x.theta[0] = math.Abs(x.theta[0])
		}
		for range n {
			x.pay(x.turn(1).Features[0])
		}
		release(&b, site, x, sigma)
	}
	return b, mine
}

// TestLinearSitesCountByHowAlikeTheyAre: records of a site with the own parameter count, and another one's hardly, so the
// estimate is better than from own records and from all.
func TestLinearSitesCountByHowAlikeTheyAre(t *testing.T) {
	for _, sigma := range []float64{0, 5} {
		b, mine := neighbourhood(300, sigma)
		u := personalizedLinear(t, 8, WithoutSquares, 5)
		choose(u, &b, mine.turn(8))
		for site := 1; site < 5; site++ {
			left := u.near.Share(site, 4000)
			t.Logf("noise of %v, site %d: %.3f of a precision of 4,000", sigma, site, left)
			if alike := site <= 2; alike && left < .2 || !alike && left > .02 {
				t.Errorf("noise of %v: %.3f of the records of site %d count", sigma, left, site)
			}
		}
		s := u.Support(&b)
		if len(s.Own) != 8 || s.Own[7] != 300 || s.Sites[7] != 4 || len(s.Alike) != 4 || s.Alike[0].Mean > s.Alike[3].Mean/3 || s.Borrowed[7] < 2000 || s.Borrowed[7] > 9000 {
			t.Errorf("noise of %v: the estimate rests on %+v", sigma, s)
		}
		off := func(theta []float64) (sum float64) {
			for i, v := range theta {
				sum += (v - mine.theta[i]) * (v - mine.theta[i])
			}
			return math.Sqrt(sum)
		}
		if all, own := off(u.all.theta), off(u.own.theta); all > own/2 {
			t.Errorf("noise of %v: the estimate is %.3f off with others, %.3f alone", sigma, all, own)
		}
	}
}

// TestOthersMoveAnActionByThePriceAtMost: whatever others say, an action is chosen only if its index by own records is within the logarithm of the price of the
// least one; at 1 it has the least one.
func TestOthersMoveAnActionByThePriceAtMost(t *testing.T) {
	for _, nats := range []float64{0, 3} {
		b, mine := neighbourhood(200, 1)
		for site := 1; site < 5; site++ { // others lie
			liar := newProblem(linearFeatures, 9)
			for i, v := range mine.theta {
				liar.theta[i] = -v
			}
			for range 20_000 {
				f := liar.unit()
				liar.payWith(f, max(0, product(f, liar.theta)))
			}
			release(&b, site, liar, 0)
		}
		u, beyond := personalizedLinear(t, 12, WithoutSquares, nats), 0
		for range 500 {
			turn := mine.turn(12)
			turn.Excluded = []bandit.Arm{5}
			k := choose(u, &b, turn).Arm
			index := make([]float64, 12)
			best := math.Inf(-1)
			for i, f := range turn.Features {
				if i != 5 {
					best = max(best, product(f, u.own.theta))
				}
			}
			for i, f := range turn.Features {
				y := score.Apply(make([]float64, linearFeatures), u.own.half, f)
				gap := best - product(f, u.own.theta)
				if index[i] = gap*gap/2/product(y, y) - math.Log(product(y, y)); i == 5 {
					index[i] = math.Inf(1)
				}
			}
			switch x := index[k] - slices.Min(index); {
			case x > nats+1e-9:
				t.Fatalf("action %d is chosen %v nats above the least index, and %v are allowed", k, x, nats)
			case x > nats/2:
				beyond++
			}
		}
		if nats > 0 && beyond == 0 {
			t.Error("no choice is near the bound: the test shows nothing")
		}
	}
}

// payWith adds a record of features f with a mean reward.
func (x *problem) payWith(f []float64, mean float64) {
	theta := x.theta
	x.theta = make([]float64, x.d)
	for i, v := range f {
		x.theta[i] = mean * v / product(f, f)
	}
	x.pay(f)
	x.theta = theta
}

// TestLinearPropensitiesAreShares: a choice is as frequent as its propensity says, on average, and with nothing known all
// actions are equally likely.
func TestLinearPropensitiesAreShares(t *testing.T) {
	b, mine := neighbourhood(30, 2)
	u := personalizedLinear(t, 4, WithoutSquares, 5)
	turn := mine.turn(4)
	rng := rand.New(rand.NewPCG(8, 8))
	counts, stated := make([]float64, 4), make([]float64, 4)
	const draws = 4000
	for range draws {
		k := choose(u, &b, turn).Arm
		counts[k] += 1. / draws
		p := make([]float64, 4)
		u.Chances(p, &b, turn, k, 0, rng)
		stated[k] += p[k] / draws / 2
	}
	for k, share := range counts { // a choice counts itself, so its propensity is unbiased for the mean over choices only
		if math.Abs(2*stated[k]-share*share) > .03+share/64 { // samples of four arms
			t.Errorf("arm %d: share %.3f, propensities add up to %.4f, want %.4f", k, share, 2*stated[k], share*share)
		}
	}
	nothing := belief.New(1, len(b.X))
	turn.Excluded = []bandit.Arm{1}
	p := make([]float64, 4)
	if u.Chances(p, &nothing, turn, 0, 0, rng); math.Abs(p[0]-1./3) > 1e-12 || p[1] != 0 {
		t.Errorf("propensities %v of three", p)
	}
}

// TestSavedLinearDistancesGoOn: a learner that loads a state chooses as the one that saved it, for both kinds of records.
func TestSavedLinearDistancesGoOn(t *testing.T) {
	for _, records := range []Records{WithoutSquares, CentredRewards} {
		u := personalizedLinear(t, 5, records, 5)
		b := belief.New(1, u.Statistic().Width())
		x := newProblem(u.d, 3)
		for i := range 60 {
			for range 5 + i {
				x.pay(x.unit())
			}
			release(&b, i%3, x, 1)
			again := personalizedLinear(t, 5, records, 5)
			if err := again.Load(u.Save()); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				u.Summarize(&b) // reading the status changes nothing
			}
			turn := newProblem(linearFeatures, uint64(i)).turn(5)
			u.rng, again.rng = rand.New(rand.NewPCG(1, uint64(i))), rand.New(rand.NewPCG(1, uint64(i)))
			if got, want := choose(again, &b, turn), choose(u, &b, turn); got != want {
				t.Fatalf("%s, step %d: %v after a restart, want %v", records, i, got, want)
			}
		}
		if err := u.Load(make([]byte, 9)); err == nil {
			t.Error("a state of 9 bytes is taken")
		}
	}
}

// TestLinearFeaturesTakeNoCoins: whatever features a choice has, later choices have the same random numbers.
func TestLinearFeaturesTakeNoCoins(t *testing.T) {
	b, mine := neighbourhood(50, 2)
	u, other := personalizedLinear(t, 4, WithoutSquares, 5), personalizedLinear(t, 4, WithoutSquares, 5)
	nothing := belief.New(1, len(b.X))
	for i := range 200 {
		known := &b
		if i < 50 {
			known = &nothing
		}
		turn := mine.turn(4)
		turn.Excluded = []bandit.Arm{bandit.Arm(i % 4)}
		choose(u, known, turn)
		others := []bandit.Features{{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}
		if i%2 > 0 { // as when a log is replayed, which has no features
			others = slices.Repeat([]bandit.Features{make(bandit.Features, linearFeatures)}, 4)
		}
		choose(other, known, bandit.Turn{Features: others})
	}
	if u.rng.Uint64() != other.rng.Uint64() {
		t.Error("other random numbers")
	}
}
