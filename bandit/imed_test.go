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
			if (!b.Known(k) || turn.Excludes(k)) != math.IsInf(d, 1) && !(b.Ahead[k] && b.X[k] < kept.best) {
				t.Fatalf("arm %d: exponent %v, known %v, excluded %v, ahead %v", k, d, b.Known(k), turn.Excludes(k), b.Ahead[k])
			}
		}
	}
}

// TestABestArmIsWaitedForNoLongerThanProved: the estimate of the best arm, whose mean is 1/2, is drawn with
// rewards and noise, again and again, while the leader's estimate is q. Waits of x times its own rewards have at
// most the probability p/x, and the mean of rewards that another arm gets while the best one is below q is at most
// p n (1 + ln(all/n)). With exponents four times as great waits are more often so long, and with what another arm
// may get while the best one leads the mean is greater: the test would detect both.
func TestABestArmIsWaitedForNoLongerThanProved(t *testing.T) {
	const draws, rewards, scale, all = 40_000, 20, 1.5, 1000. // all: N T/n
	rng := rand.New(rand.NewPCG(9, 9))
	for _, c := range []struct {
		sites int
		q, x  float64
	}{{1, .5, 30}, {3, .5, 30}, {1, .3, 1}, {3, .1, 1}} {
		b := known(1, c.q, 0)
		b.Sites[1] = nil
		for i := range c.sites {
			b.Sites[1] = append(b.Sites[1], belief.Site{Peer: i, N: rewards, LaplaceMax: scale / rewards, LaplaceSumSq: 2 * scale * scale / rewards / rewards})
		}
		n := float64(c.sites * rewards)
		b.SampleVar[1] = 1 / n
		s := 0.
		p := math.Exp(-about(c.q, b.Sites[1]...).exponent(.5, &s))
		over, less := 0, 0
		below, leads := 0., 0. // mean of rewards of another arm, in units of n, while the best arm is below q, and while it leads
		for range draws {
			sum := 0.
			for range c.sites * rewards {
				sum += float64(rng.IntN(2))
			}
			for range 2 * c.sites {
				sum += scale * rng.ExpFloat64() * float64(2*rng.IntN(2)-1)
			}
			b.X[1] = sum / n
			if b.X[1] >= b.X[0] {
				leads += 1. / draws
				continue
			}
			u := newExponents(2)
			u.renew(b, &Turn{})
			d := u.of(b, 1, math.Inf(1))
			if d > math.Log(c.x) {
				over++
			}
			if 4*d > math.Log(c.x) {
				less++
			}
			below += min(math.Exp(d), all) / draws
		}
		allowed, most := draws*p/c.x, p*(1+math.Log(all))
		t.Logf("%d sites, q = %v: %d of %d waits are %v times the rewards, of %.0f allowed; %d with four times the exponent; %.3f times the rewards in the mean, of %.3f allowed; %.3f while it leads",
			c.sites, c.q, over, draws, c.x, allowed, less, below, most, leads)
		if float64(over) > allowed {
			t.Errorf("%d sites, q = %v: %d waits of %d are longer than %v times the rewards", c.sites, c.q, over, draws, c.x)
		}
		if below > most {
			t.Errorf("%d sites, q = %v: another arm gets %.3f times the rewards in the mean, of %.3f allowed", c.sites, c.q, below, most)
		}
		if c.q == .5 && float64(less) < allowed || c.q == .1 && below+leads < most {
			t.Error("nothing would be found")
		}
	}
}
