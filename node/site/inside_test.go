package site

import (
	"fmt"
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/linear"
	"peerd.dev/dp"
	"peerd.dev/node/decision"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/rows"
)

// keeping is a site of which only its own people see answers, without features or with.
func keeping(features bool) setting {
	if features {
		x := usual(nameOf(batches.BatchParams{}), AtWindow)
		x.learner = linear.PersonalizedLinearParams{Features: x.features, Map: bandit.Concat, Records: linear.WithoutSquares, Price: 150}
		x.params = batches.BatchParams{First: 10, Growth: 1, DecideFrom: batches.FromReleases, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}
		x.mechanism, x.inside, x.records, x.rules.PerSubject = dp.EachGaussian, true, 1, 1
		return x
	}
	x := usual(nameOf(rows.PhasesParams{}), AtWindow)
	x.learner, x.inside = bandit.PersonalizedParams{Price: 20}, true
	x.rules.MinExposures = 1
	return x
}

// TestAKeptHalfLearns: with its exact rewards a site finds its best action in a few hundred decisions. What it has learned is right after a
// stop, after a crash and after a change of the membership.
func TestAKeptHalfLearns(t *testing.T) {
	for _, features := range []bool{false, true} {
		r := newRig(t, keeping(features))
		r.start()
		r.round()
		given, pulls, paid := 0, map[string]int{}, map[string]float64{}
		for n := range 40 {
			for i := range 10 {
				id := fmt.Sprint(n, "-", i)
				d := r.ask(decision.Ask{ID: id})
				if again := r.ask(decision.Ask{ID: id}); again.Action != d.Action || again.Kept != d.Kept || !again.Repeated {
					t.Fatalf("%+v and again %+v", d, again)
				}
				if !d.Kept {
					given++
				}
				if !d.Counted || d.Uncounted != "" {
					t.Fatalf("%+v", d)
				}
				y := math.Mod(float64(i)*.3, 1) * map[string]float64{"red": .3, "green": 1, "blue": .6}[d.Action]
				r.pay(id, y)
				pulls[d.Action]++
				paid[d.Action] += y
			}
			switch n % 8 {
			case 3:
				r.crash()
				r.start()
			case 6:
				r.stop()
				r.start()
			}
			r.round()
		}
		r.rounds(5)
		got, err := r.s.Inside(t.Context())
		if err != nil || got == nil || got.Given != uint64(given) || got.Given+got.Kept != 400 || got.Pending != 0 {
			t.Fatalf("given %d: %+v, %v", given, *got, err)
		}
		if given == 0 || given > 100 {
			t.Errorf("%d of 400 decisions are given", given)
		}
		if st := r.status(); !features && st.Pulls[0]+st.Pulls[1]+st.Pulls[2] != got.Given {
			t.Errorf("%d given, and the status has %d", got.Given, st.Pulls)
		}
		if features {
			continue
		}
		for k, name := range r.arms {
			if n := got.Pulls[k]; n != uint64(pulls[name]) || got.Rewards[k] != float64(n) || math.Abs(got.Means[k]-paid[name]/float64(n)) > 1e-5 {
				t.Errorf("%s: %d decisions, %v rewards with a mean of %v, want %d and %v", name, n, got.Rewards[k], got.Means[k], pulls[name], paid[name]/float64(n))
			}
		}
		if pulls["green"] < 250 {
			t.Errorf("decisions %v", pulls)
		}
	}
}
