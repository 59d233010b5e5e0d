package bandit

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit/belief"
)

func imed(t *testing.T, arms int) *IMED {
	t.Helper()
	l, err := IMEDParams{}.New(Config{Arms: arms, Peers: 1, Rand: rand.New(rand.NewPCG(5, 6))})
	if err != nil {
		t.Fatal(err)
	}
	return l.(*IMED)
}

// kl is the divergence of coins with means p and q.
func kl(p, q float64) float64 { return p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q)) }

// TestIMEDWithoutNoiseIsIMED: for rewards without noise an arm's index is n kl(y, best) + ln n, and
// ln n for the best. The second arm is chosen as soon as the best has enough pulls.
func TestIMEDWithoutNoiseIsIMED(t *testing.T) {
	u := imed(t, 3)
	b := known(1, .6, .5, .1)
	b.SampleVar[1], b.SampleVar[2] = 1./40, 1./20
	for _, more := range []float64{-1e-4, 1e-4} {
		b.SampleVar[0] = 1 / (40 * math.Exp(40*kl(.5, .6)+more))
		want := Arm(0)
		if more > 0 {
			want = 1
		}
		if a := u.Choose(b, Turn{Round: 100}).Arm; a != want {
			t.Errorf("arm %d where the best has e^%v times the pulls at which arm 1 is as good, want %d", a, more, want)
		}
	}
}

// TestExponentsFollowTheBelief: what is kept from choice to choice is what a new learner computes,
// as releases come, arms are excluded and others get ahead.
func TestExponentsFollowTheBelief(t *testing.T) {
	const arms = 6
	rng := rand.New(rand.NewPCG(8, 8))
	kept := newExponents(arms)
	b := belief.New(arms, 1)
	for range 500 {
		k := rng.IntN(arms)
		n, m := math.Exp(6*rng.Float64()), math.Exp(6*rng.Float64())
		b.Sites[k] = []belief.Site{{N: n, LaplaceMax: 1 / n, LaplaceSumSq: 3 / n / n}, {Peer: 1, N: m, GaussVar: 1 / m / m}}
		b.X[k] = 1.4*rng.Float64() - .2
		b.SampleVar[k], b.LaplaceSumSq[k], b.LaplaceMax[k], b.GaussVar[k] = (1/n+1/m)/4, 3/n/n/4, .5/n, 1/m/m/4
		b.Ahead[rng.IntN(arms)] = rng.IntN(2) == 0
		turn := Turn{Round: 9}
		if rng.IntN(3) == 0 {
			turn.Excluded = []Arm{Arm(rng.IntN(arms))}
		}
		fresh := newExponents(arms)
		kept.renew(&b, &turn)
		fresh.renew(&b, &turn)
		for k := range arms {
			bound, some := kept.least[k], kept.of(&b, k, 5*rng.Float64())
			d, anew := kept.of(&b, k, math.Inf(1)), fresh.of(&b, k, math.Inf(1))
			if d != anew || math.IsNaN(d) || d < 0 {
				t.Fatalf("arm %d has the exponent %v, computed anew %v", k, d, anew)
			}
			if most := max(bound, some); most > d+rounding*(1+d) {
				t.Fatalf("arm %d has an exponent of at least %v, and of %v", k, most, d)
			}
			if (!b.Known(k) || turn.excludes(k)) != math.IsInf(d, 1) && !(b.Ahead[k] && b.X[k] < kept.best) {
				t.Fatalf("arm %d: exponent %v, known %v, excluded %v, ahead %v", k, d, b.Known(k), turn.excludes(k), b.Ahead[k])
			}
		}
	}
}

// TestABestArmIsWaitedForNoLongerThanProved: the estimate of the best arm is drawn with rewards and
// noise, again and again, while the leader's mean is just below the truth. Waits of x times its own
// rewards have at most the probability 1/x. With exponents four times as great they are more often
// so long: the test would detect it.
func TestABestArmIsWaitedForNoLongerThanProved(t *testing.T) {
	const draws, n, scale = 40_000, 20, 1.5
	rng := rand.New(rand.NewPCG(9, 9))
	for _, sites := range []int{1, 3} {
		b := known(1, .5, 0)
		b.Sites[1] = nil
		for i := range sites {
			b.Sites[1] = append(b.Sites[1], belief.Site{Peer: i, N: n, LaplaceMax: scale / n, LaplaceSumSq: 2 * scale * scale / n / n})
		}
		const x = 30
		over, less := 0, 0
		for range draws {
			sum := 0.
			for range sites * n {
				sum += float64(rng.IntN(2))
			}
			for range 2 * sites {
				sum += scale * rng.ExpFloat64() * float64(2*rng.IntN(2)-1)
			}
			b.X[1] = sum / float64(sites*n)
			b.SampleVar[1] = 1 / float64(sites*n)
			if b.X[1] >= b.X[0] {
				continue
			}
			u := newExponents(2)
			u.renew(b, &Turn{})
			d := u.of(b, 1, math.Inf(1))
			if d > math.Log(x) {
				over++
			}
			if 4*d > math.Log(x) {
				less++
			}
		}
		t.Logf("%d sites: %d of %d waits are %d times the rewards, of %d allowed; %d with four times the exponent", sites, over, draws, x, draws/x, less)
		if over > draws/x {
			t.Errorf("%d sites: %d waits of %d are longer than %d times the rewards", sites, over, draws, x)
		}
		if less < draws/x {
			t.Error("nothing would be found")
		}
	}
}

func BenchmarkIMEDOfAThousandArms(b *testing.B) { // limit: 50 µs
	const arms, sites = 1000, 100
	rng := rand.New(rand.NewPCG(1, 1))
	l, err := IMEDParams{}.New(Config{Arms: arms, Peers: sites, Rand: rng})
	if err != nil {
		b.Fatal(err)
	}
	x := belief.New(arms, 1)
	release := func(k int) {
		x.Sites[k], x.X[k], x.SampleVar[k], x.LaplaceSumSq[k], x.LaplaceMax[k] = x.Sites[k][:0], 0, 0, 0, 0
		for i := range sites {
			s := belief.Site{Peer: i, Mean: rng.Float64(), N: float64(4 + rng.IntN(400))}
			s.LaplaceMax, s.LaplaceSumSq = 1/s.N, 3/s.N/s.N
			x.Sites[k] = append(x.Sites[k], s)
			x.X[k] += s.Mean / sites
			x.SampleVar[k] += 1 / s.N / sites / sites
			x.LaplaceSumSq[k] += s.LaplaceSumSq / sites / sites
			x.LaplaceMax[k] = max(x.LaplaceMax[k], s.LaplaceMax/sites)
		}
	}
	for k := range arms {
		release(k)
	}
	b.ResetTimer()
	for i := range b.N {
		if i%20 == 0 { // a batch of an arm closes
			release(rng.IntN(arms))
		}
		l.Choose(&x, Turn{Round: uint64(i)})
	}
}
