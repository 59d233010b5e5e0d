package site

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/decision"
	"peerd.dev/protocol/rows"
)

// TestCostOfPolicies measures what rules of a site cost in regret: scripts/show.sh policies prints it. PEERD_POLICIES names a part.
func TestCostOfPolicies(t *testing.T) {
	part := os.Getenv("PEERD_POLICIES")
	if part == "" {
		t.Skip("scripts/show.sh policies plays it")
	}
	seeds := number(t, "PEERD_POLICIES_SEEDS", 20)
	row := func(what string, change func(*setting), ask func(i int, a *decision.Ask), means []float64) {
		var regret, late, baseline, fresh []float64
		for seed := range seeds {
			x := usual(nameOf(rows.PhasesParams{}), AtWindow).repeatable(uint64(seed) + 1)
			x.params = rows.PhasesParams{Growth: .5, Limit: 100000, Pull: 20, Merge: rows.MergeMean, F: 1}
			x.learner, x.mechanism, x.rules.Window, x.alone, x.records, x.rules.MinExposures = bandit.PersonalizedParams{Price: 20}, dp.EachLaplace, every, true, 1, 1
			if part == "new" { // rewards come late, and 200 decisions are made meanwhile
				x.rules.Window = 20 * every
			}
			change(&x)
			r, l, b, f := playCost(t, x, uint64(seed), means, ask)
			regret, late, baseline, fresh = append(regret, r), append(late, l), append(baseline, b), append(fresh, f)
		}
		mean, dev := spread(regret)
		after, afterDev := spread(late)
		share, _ := spread(baseline)
		new, _ := spread(fresh)
		fmt.Printf("%-44s %8.1f ± %-5.1f %9.2f ± %-5.2f %8.3f %10.1f\n", what, mean, dev, after, afterDev, share, new)
	}
	fmt.Printf("%s: a site alone, %d decisions, ε 1, learner personalized, %d seeds\n", part, costDecisions, seeds)
	fmt.Printf("%-44s %16s %17s %8s %10s\n", "", "regret", "regret in last 1,000", "baseline", "blue of the first 100 of the second half")
	two, three := []float64{.4, .6, 0}, []float64{.4, .6, .2}
	none, all := func(*setting) {}, func(int, *decision.Ask) {}
	switch part {
	case "baseline":
		row("no baseline", none, all, three)
		for _, share := range []float64{.1, .3, .9} {
			for _, until := range []bool{false, true} {
				row(fmt.Sprintf("red, share %v, until better %v", share, until), func(x *setting) {
					x.rules.Baseline, x.rules.BaselineShare, x.rules.UntilBetter = "red", share, until
				}, all, three)
			}
		}
		row("green, the best one, share 0.3", func(x *setting) { x.rules.Baseline, x.rules.BaselineShare = "green", .3 }, all, three)
	case "new":
		first := func(i int, a *decision.Ask) {
			if i < costDecisions/2 {
				a.Named = []string{"red", "green"}
			}
		}
		row("blue (mean 0.2) is offered at half, no bound", none, first, three)
		row("blue is offered at half, with the bound", func(x *setting) { x.founding, x.rules.Offer = 2, []string{OfferAll} }, first, three)
		better := []float64{.4, .6, .8}
		row("blue (mean 0.8) is offered at half, no bound", none, first, better)
		row("blue is offered at half, with the bound", func(x *setting) { x.founding, x.rules.Offer = 2, []string{OfferAll} }, first, better)
		row("blue is never named", func(x *setting) { x.founding = 2 }, all, two)
	case "shadow":
		row("the peer chooses", none, all, three)
		row("the application does, at random (propose)", func(x *setting) { x.rules.Shadow = ShadowPropose }, all, three)
	default:
		t.Fatalf("want baseline, new or shadow, not %q", part)
	}
}

const costDecisions = 4000

// playCost plays decisions, ten a round, and returns the regret, also of the last 1,000 alone, the share of the baseline, and the decisions
// for blue among the first hundred of the second half.
func playCost(t *testing.T, x setting, seed uint64, means []float64, ask func(i int, a *decision.Ask)) (regret, late, baseline, fresh float64) {
	t.Helper()
	r := newRig(t, x)
	r.start()
	rng, best := rand.New(rand.NewPCG(seed, 9)), 0.
	for i := 0; i < costDecisions; i += 10 {
		best = means[1]
		if i >= costDecisions/2 {
			best = slices.Max(means)
		}
		asks := make([]decision.Ask, 10)
		for k := range asks {
			asks[k].ID = fmt.Sprint(i + k)
			ask(i+k, &asks[k])
		}
		for k, o := range r.decide(asks...) {
			if o.Err != nil {
				t.Fatal(o.Err)
			}
			arm := slices.Index(r.arms, o.Value.Action)
			lost := best - means[arm]
			if regret += lost; i >= costDecisions-1000 {
				late += lost
			}
			if o.Value.Source == decision.Baseline {
				baseline += 1. / costDecisions
			}
			if n := i + k - costDecisions/2; n >= 0 && n < 100 && arm == 2 {
				fresh++
			}
			value := 0.
			if rng.Float64() < means[arm] {
				value = 1
			}
			r.pay(o.Value.ID, value)
		}
		r.round()
	}
	r.stop()
	return regret, late, baseline, fresh
}

// spread returns a mean and its standard error.
func spread(x []float64) (mean, dev float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		dev += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(dev / float64(len(x)*max(1, len(x)-1)))
}
