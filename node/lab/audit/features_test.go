package audit_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/linear"
	"peerd.dev/dp"
	"peerd.dev/node/lab/audit"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// described is an audit of peers that choose by features.
func described(m dp.Mechanism, p protocol.Params, runs int, seed uint64) audit.Config {
	c := config(p, m, runs, seed)
	for _, l := range learner.All() {
		if bandit.TraitsOf(l).Contextual {
			c.Spec.Learner = l
			break
		}
	}
	return c
}

// releasing returns a learner that releases a kind of records.
func releasing(records linear.Records) bandit.Params {
	return linear.LinUCBParams{Features: 5, Index: linear.SampledIndex, Radius: 1, Records: records, Map: bandit.Concat}
}

// TestFeaturesStayPrivate: peers that choose by features pass, with canaries whose features
// differ and lead to other arms; the farthest canaries reach the whole charge.
func TestFeaturesStayPrivate(t *testing.T) {
	squares := printed.LinUCBParams{Features: 5, Index: printed.CalibratedIndex, Records: printed.WithSquares}
	for _, x := range []struct {
		m       dp.Mechanism
		p       protocol.Params
		learner bandit.Params
	}{
		{dp.TreeGaussian, batches.BatchParams{First: 10, DecideFrom: batches.FromReleases, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}, squares},
		{dp.EachGaussian, batches.BatchParams{First: 10, Growth: .5, DecideFrom: batches.FromReleases, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}, releasing(linear.CentredRewards)},
		{dp.TreeGaussian, batches.BatchParams{First: 10, Growth: .5, DecideFrom: batches.FromNoisedLocal, Draws: 2, Analyzer: 3, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1}, releasing(linear.WithoutSquares)},
		{dp.EachGaussian, batches.BatchParams{First: 10, Growth: .5, DecideFrom: batches.FromNoisedLocal, Draws: 2, Analyzer: 3, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1}, squares},
		{dp.TreeGaussian, near(batches.FixedSchedule), releasing(linear.CentredRewards)},
		{dp.EachGaussian, near(batches.LogDetSchedule), squares},
		{dp.TreeGaussian, batches.BatchParams{First: 10, DecideFrom: batches.FromReleases, Schedule: batches.LogDetSchedule, Threshold: .01, Analyzer: 3, Pull: 25, Draws: 1}, releasing(linear.WithoutSquares)},
	} {
		c := described(x.m, x.p, audit.MinRuns, 3)
		c.Spec.Learner = x.learner
		r, err := audit.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Passed {
			t.Errorf("%v, %+v: %v", x.m, x.p, r.Broken)
		}
		// With an analyzer all messages follow from rounds and decisions.
		p, isBatch := x.p.(batches.BatchParams)
		asked := slices.ContainsFunc(r.Checks, func(c audit.Check) bool { return c.Name == "traffic" && c.Asked > 0 })
		if want := isBatch && p.Analyzer > 0 && p.Schedule != batches.LogDetSchedule; asked != want {
			t.Errorf("%v, %+v: traffic is compared: %v", x.m, x.p, asked)
		}
		for _, c := range r.Canaries {
			if c.Bound.Reach < .9*c.Bound.Charged && c.Name != "middle" && c.Name != "last" {
				t.Errorf("%v, %+v: canary %s reaches %.3f of %.3f", x.m, x.p, c.Name, c.Bound.Reach, c.Bound.Charged)
			}
		}
	}
}

// TestCorrectPeersWithFeaturesPass: as [TestCorrectPeersPass], with peers that choose by features: a third of the audits is
// of protocol local, a third of peers with an analyzer that decide from a noised local sum. If choices depended on raw
// records, one record would change later ones, and with them the sum of a batch. PEERD_LONG plays a second seed of each.
func TestCorrectPeersWithFeaturesPass(t *testing.T) {
	seeds := uint64(3)
	if os.Getenv("PEERD_LONG") != "" {
		seeds = 6
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed+1), func(t *testing.T) {
			var params protocol.Params = batches.BatchParams{First: 10, Growth: .5, DecideFrom: batches.FromReleases, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}
			switch seed % 3 {
			case 1:
				params = near(batches.LogDetSchedule)
			case 2:
				params = batches.BatchParams{First: 5, Growth: .5, DecideFrom: batches.FromNoisedLocal, Draws: 2, Analyzer: 3, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1}
			}
			r, err := audit.Run(t.Context(), described(dp.TreeGaussian, params, runs(), seed+1))
			if err != nil {
				t.Fatal(err)
			}
			if !r.Passed {
				t.Error(r.Broken)
			}
		})
	}
}

// near returns parameters of protocol local with estimators that take turns.
func near(s batches.NewsSchedule) printed.LocalParams {
	return printed.LocalParams{
		Hops: 2, Neighbourhood: printed.Ball, Estimators: printed.SplitEstimators, First: 5, Schedule: s, Threshold: .01, Pull: 25,
	}
}

// TestChoicesFromRawRecordsAreFound: if choices depend on raw records of a batch, one record
// changes later ones, and with them more of the batch's release than is charged.
func TestChoicesFromRawRecordsAreFound(t *testing.T) {
	for seed := range uint64(2) {
		c := described(dp.TreeGaussian, batches.BatchParams{First: 10, Growth: .5, DecideFrom: batches.FromReleases, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}, audit.MinRuns, seed+1)
		c.Spec.Wrap = printed.Raw{Choices: true}.Wrap
		r, err := audit.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r.Broken)
		if r.Passed {
			t.Errorf("seed %d: not found", seed+1)
		}
	}
}

// TestMessagesFromRawRecordsAreFound: if the records themselves decide when something is sent,
// other features of one user change when messages leave, though everything released is the same.
func TestMessagesFromRawRecordsAreFound(t *testing.T) {
	for news, p := range map[float64]protocol.Params{ // with which one record decides when the first canary is sent
		12: batches.BatchParams{Hops: 2, First: 5, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 1, Pull: 25, Draws: 1},
		5:  batches.BatchParams{First: 5, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Analyzer: 3, Pull: 25, Threshold: 1, Draws: 1},
	} {
		c := described(dp.TreeGaussian, p, audit.MinRuns, 1)
		c.Spec.Wrap = printed.Raw{News: news}.Wrap
		r, err := audit.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r.Broken)
		if r.Passed {
			t.Errorf("%+v: not found", p)
		}
	}
}
