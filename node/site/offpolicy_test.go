package site

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/lab/learner"
)

// otherPolicy is the policy to estimate, by action; no learner follows it.
func otherPolicy() []float64 { return []float64{.5, .3, .2} }

// TestOffPolicy: from the decisions that a site logs while it learns, the value of a policy that
// it does not follow is estimated. Over 100 seeds, each with coins, noise and rewards of its own,
// intervals of 95 % by inverse propensity scoring (IPS) and by its self-normalized form (SNIPS)
// cover the truth in at least 93 of 100, within two standard errors; PEERD_OFF_POLICY_SEEDS sets another number of seeds. The
// learner samples, so its propensities have no formula; with more seeds there is also a learner
// that does not sample.
func TestOffPolicy(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("one goroutine; the tests without -short run it")
	}
	seeds := uint64(100)
	learners := []bandit.Params{bandit.ThompsonParams{Inflation: math.Sqrt2}}
	if text := os.Getenv("PEERD_OFF_POLICY_SEEDS"); text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		seeds, learners = n, append(learners, learner.UCBParams{}, learner.KLUCBParams{Level: learner.TwoLog}, bandit.IMEDParams{}, bandit.MEDParams{})
	}
	means := []float64{.3, .5, .6}
	truth := 0.
	for k, p := range otherPolicy() {
		truth += p * means[k]
	}
	for _, learner := range learners {
		t.Run(fmt.Sprintf("%T", learner), func(t *testing.T) {
			t.Parallel()
			covered := make(map[bool]uint64) // by whether it is normalized
			for seed := range seeds {
				rows := playLogged(t, learner, seed, means)
				for _, normalized := range []bool{false, true} {
					if v, half := estimate(rows, normalized); math.Abs(v-truth) <= half {
						covered[normalized]++
					}
				}
			}
			t.Logf("of %d intervals of 95 %%, %d of IPS and %d of SNIPS cover %.2f", seeds, covered[false], covered[true], truth)
			for normalized, n := range covered {
				if least := .93 * float64(seeds); float64(n) < least-2*math.Sqrt(.07*least) { // two standard errors
					t.Errorf("normalized %v: %d of %d intervals cover the truth, want 93 of 100", normalized, n, seeds)
				}
			}
		})
	}
}

// playLogged plays a site that explores in a world of known means, and returns what it logs.
func playLogged(t *testing.T, learner bandit.Params, seed uint64, truth []float64) (rows []Logged) {
	t.Helper()
	x := usual(stated, AtWindow).repeatable(seed)
	x.coins = func() node.Seed { return node.NewSeed(seed) } // so that the test has one result
	x.explore, x.learner, x.rules.Keep, x.rules.Window = .3, learner, 1e6*every, every
	r := newRig(t, x)
	r.start()
	rng := rand.New(rand.NewPCG(seed, 7))
	const batches, each = 8, 100
	for batch := range batches {
		asks, reports := make([]decision.Ask, each), make([]decision.Report, each)
		for i := range asks {
			asks[i].ID = fmt.Sprintf("%d-%d", batch, i)
		}
		for i, d := range r.decide(asks...) {
			reports[i].ID = asks[i].ID
			if rng.Float64() < truth[r.s.arms[d.Value.Action]] {
				reports[i].Value = 1
			}
		}
		r.s.Reward(t.Context(), reports)
		r.round()
	}
	reader := DecisionReader{Arms: r.arms, Streams: 3}
	r.clock.add(2 * every)
	for row, err := range reader.Decisions(r.s.store, r.clock.Now(), func() { t.Fatal("a window is open") }) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if len(rows) != batches*each {
		t.Fatalf("%d decisions logged, want %d", len(rows), batches*each)
	}
	r.stop()
	return rows
}

// estimate returns what the other policy would have paid on average, and half of the width of its
// interval of 95 %, by inverse propensity scoring, self-normalized or not.
func estimate(rows []Logged, normalized bool) (value, half float64) {
	var weights, values []float64
	for _, x := range rows {
		if x.Source != decision.Learned && x.Source != decision.Initial {
			continue // chosen by a rule, which does not explore
		}
		w := otherPolicy()[x.Action] / x.Propensity
		weights, values = append(weights, w), append(values, w*float64(x.Reward))
	}
	n, sum := float64(len(weights)), 0.
	weight := 0.
	for i := range values {
		sum += values[i]
		weight += weights[i]
	}
	if !normalized {
		weight = n
	}
	value = sum / weight
	spread := 0.
	for i := range values {
		d := values[i] - value
		if normalized {
			d = values[i] - value*weights[i]
		}
		spread += d * d
	}
	return value, 1.96 * math.Sqrt(spread) / weight
}
