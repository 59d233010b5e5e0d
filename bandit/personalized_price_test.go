package bandit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit/belief"
)

// A lie says what nine other sites say to site 0 in a round. What the liars may know is everything: the means, and what
// the site has released. first is true in the first round and after each release of the site.
type lie struct {
	name string
	say  func(b *Belief, means []float64, round int, first bool)
}

// others lets nine sites say the same of an arm, with many rewards.
func others(b *Belief, k int, mean, n float64) {
	for site := 1; site < 10; site++ {
		say(b, k, site, mean, n, 1)
	}
}

// own returns what the site has released of an arm; ok is false before the first release.
func own(b *Belief, k int) (s belief.Site, ok bool) {
	for _, s := range b.Sites[k] {
		if s.Peer == 0 {
			return s, true
		}
	}
	return s, false
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// near is what a liar about the best arm alone says: the truth, but the best arm is a little worse than the second one.
func near(b *Belief, means []float64, copied bool) {
	best := slices.Index(means, slices.Max(means))
	second := math.Inf(-1)
	for k, mean := range means {
		n := 1e6
		if s, ok := own(b, k); ok && copied {
			mean, n = s.Mean, s.N
		}
		if k != best {
			second = max(second, mean)
			others(b, k, mean, n)
		}
	}
	others(b, best, second-.03, 1e6)
}

func allLies() []lie {
	return []lie{
		{"all but the worst arm pay nothing", func(b *Belief, means []float64, round int, _ bool) {
			for k := range means {
				if round == 0 {
					others(b, k, oneIf(means[k] == slices.Min(means)), 1e6)
				}
			}
		}},
		{"the best arm is worse than the second", func(b *Belief, means []float64, round int, _ bool) {
			if round == 0 {
				near(b, means, false)
			}
		}},
		{"what the site says, but the best arm is worse", func(b *Belief, means []float64, _ int, first bool) {
			if first {
				near(b, means, true)
			}
		}},
		{"what the site says, and after 500 rounds the best arm is worse", func(b *Belief, means []float64, round int, first bool) {
			for k := range means {
				if s, ok := own(b, k); ok && first && round < 500 {
					others(b, k, s.Mean, s.N)
				}
			}
			if round == 500 {
				near(b, means, false)
			}
		}},
		{"what is known least pays 1, and what is known most nothing", func(b *Belief, means []float64, _ int, first bool) {
			least := slices.Index(b.Pulls, slices.Min(b.Pulls))
			for k := range means {
				if first {
					others(b, k, oneIf(k == least), 1e6)
				}
			}
		}},
		{"two deviations below the own mean of the best arm, and above the others", func(b *Belief, means []float64, _ int, first bool) {
			for k := range means {
				s, ok := own(b, k)
				if !first || !ok {
					continue
				}
				far := 2 * math.Sqrt(rewardVar/s.N+2*s.LaplaceSumSq)
				if means[k] == slices.Max(means) {
					far = -far
				}
				others(b, k, s.Mean+far, 1e6)
			}
		}},
	}
}

// ascending returns the means of arms with equal gaps, the best one last.
func ascending(arms int) (means []float64) {
	for k := range arms {
		means = append(means, .2+.5*float64(k)/float64(arms-1))
	}
	return means
}

// exponentsAlone returns D of own rewards and ln n by arm, as docs/proofs/personalized.md defines them.
func exponentsAlone(b *Belief) (exponents, logs []float64) {
	best := 0.
	for k := range b.Sites {
		if s, ok := own(b, k); ok {
			best = max(best, min(s.Mean, 1))
		}
	}
	for k := range b.Sites {
		d, n := 0., float64(max(1, b.Pulls[k]))
		if s, ok := own(b, k); ok {
			var e evidence
			at := 0.
			e.set(s.Mean, []belief.Site{s})
			d, n = e.exponent(best, &at), s.N
		}
		exponents, logs = append(exponents, d), append(logs, math.Log(n))
	}
	return exponents, logs
}

// TestOthersMoveAnIndexByThePriceAtMost: whatever others say, an arm is pulled only if the logarithm of its own rewards is at
// most ln(price) above the own index of every other arm, and its own index at most twice that. Lies do use up both, so a
// greater constant would be found.
func TestOthersMoveAnIndexByThePriceAtMost(t *testing.T) {
	const price = 20
	c := math.Log(price)
	waited, followed := 0., 0.
	for _, arms := range []int{2, 5, 10} {
		for _, lie := range allLies() {
			rng := rand.New(rand.NewPCG(3, uint64(arms)))
			for range 2 {
				u, b, means := personalized(t, arms, 10, price), belief.New(arms, 1), ascending(arms)
				round, before := 0, -1.
				said := func() {
					released := 0.
					for k := range means {
						if s, ok := own(&b, k); ok {
							released += s.N
						}
					}
					lie.say(&b, means, round, released != before)
					before = released
				}
				said()
				playAlone(u, &b, means, 1500, rng, func(a Arm) {
					d, logs := exponentsAlone(&b)
					for i := range means {
						wait, follow := logs[a]-d[i]-logs[i], d[a]+logs[a]-d[i]-logs[i]
						if wait > c+1e-6 || follow > 2*c+1e-6 {
							t.Fatalf("%d arms, %s, round %d: arm %d is pulled and not %d, %v and %v nats beyond", arms, lie.name, round, a, i, wait, follow)
						}
						waited, followed = max(waited, wait), max(followed, follow)
					}
					round++
					said()
				})
			}
		}
	}
	t.Logf("others moved choices by up to %.2f nats away from an arm and %.2f in all", waited, followed)
	if waited < c-.2 || followed < 2*c-.6 {
		t.Error("no choice is near the bounds: the test shows nothing")
	}
}
