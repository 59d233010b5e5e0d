package sim_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/epochs"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// regular returns the neighbours of a random regular graph.
func regular(t testing.TB, n, degree int, seed uint64) [][]protocol.Peer {
	t.Helper()
	g, _, err := graphs.Spec{Name: "regular", N: n, Degree: degree}.Build(rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]protocol.Peer, n)
	for i := range out {
		for _, j := range g.Neighbours(i) {
			out[i] = append(out[i], protocol.Peer(j))
		}
	}
	return out
}

// TestTheLyingPeer puts one liar among 20 peers on random 6-regular graphs for 5,000 rounds and
// compares the honest peers' regret with their regret without an attack: max must fail, robust
// stays within 1.25 times and capped within 3 times. It uses one seed, or ten with PEERD_LONG.
func TestTheLyingPeer(t *testing.T) {
	if testing.Short() {
		t.Skip("a million agent steps")
	}
	const peers, rounds = 20, 5000
	seeds := uint64(1)
	if os.Getenv("PEERD_LONG") != "" {
		seeds = 10
	}
	type row struct {
		rule  averaging.Consistency
		claim sim.Claim // empty: no attack
	}
	var rows []row
	for _, rule := range []averaging.Consistency{averaging.Max, averaging.Robust, averaging.Capped} {
		for _, claim := range []sim.Claim{"", sim.ClaimHuge, sim.ClaimT, sim.ClaimHalf} {
			rows = append(rows, row{rule, claim})
		}
	}
	regret := make([]float64, len(rows))
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		jobs = make(chan func())
	)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for job := range jobs {
				job()
			}
		})
	}
	for i, r := range rows {
		for seed := range seeds {
			jobs <- func() {
				c := config(seed, regular(t, peers, 6, seed), rounds, []float64{.9, .6, .5, .4, .3})
				ruled(&c, r.rule)
				c.Spec.Privacy.Mechanism, c.Spec.Privacy.Budget = dp.None, account.Unlimited
				c.Points = 1
				if r.claim != "" {
					c.Liars = sim.Liars{Count: 1, Claim: r.claim}
				}
				res, err := sim.Run(c)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				regret[i] += res.Regret[0] / float64(seeds)
			}
		}
	}
	close(jobs)
	wg.Wait()

	limit := map[averaging.Consistency]float64{averaging.Robust: 1.25, averaging.Capped: 3}
	base := regret[0]
	for i, r := range rows {
		if r.claim == "" {
			t.Logf("%-6s no attack  regret %7.1f", r.rule, regret[i])
			if regret[i] > 2*base {
				t.Errorf("%s costs %.1f without any attack, max %.1f", r.rule, regret[i], base)
			}
			continue
		}
		ratio := regret[i] / base
		t.Logf("%-6s claim %-4s regret %7.1f, %6.2f times no attack", r.rule, r.claim, regret[i], ratio)
		if r.rule == averaging.Max && ratio < 10 {
			t.Errorf("max under claim %s: %.2f times no attack; the attack must be real, else nothing is shown", r.claim, ratio)
		}
		if r.rule != averaging.Max && ratio > limit[r.rule] {
			t.Errorf("%s under claim %s: %.2f times no attack, at most %v", r.rule, r.claim, ratio, limit[r.rule])
		}
	}
}

// TestALiarAboutRewards: it signs its claims. One among 20 peers moves the estimates of average
// arbitrarily, and hardly affects the estimates of rows and phases, since they refuse values that no
// rewards give.
func TestALiarAboutRewards(t *testing.T) {
	const peers, rounds = 20, 1000
	play := func(p protocol.Params, pay sim.Pay) sim.Result {
		c := config(1, regular(t, peers, 6, 1), rounds, []float64{.9, .6, .5, .4, .3})
		c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Privacy.Budget = p, dp.None, account.Unlimited
		c.Keys = nil
		for i := range peers {
			c.Keys = append(c.Keys, vouch.For[protocol.Keys](protocoltest.Keys(protocol.Peer(i))))
		}
		c.Points, c.Truth = 1, []float64{.9, .6, .5, .4, .3}
		if pay != "" {
			c.Liars = sim.Liars{Count: 1, Pay: pay}
		}
		res, err := sim.Run(c)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	plain := running.Params{Every: 20, Pull: 20, Merge: rows.MergeMean, F: 1}
	phases := rows.PhasesParams{First: 4, Growth: .5, Pull: 20, Merge: rows.MergeMean, F: 1}
	average := averaging.AverageParams{Consistency: averaging.Capped, Rate: .3, Patience: 10, F: 1}
	for _, p := range []protocol.Params{plain, phases} {
		honest := play(p, "").Regret[0]
		for _, pay := range []sim.Pay{sim.PayInside, sim.PayOutside, sim.PayFork} {
			res := play(p, pay)
			t.Logf("%T, %s: regret %.1f, without a liar %.1f; refused %d", p, pay, res.Regret[0], honest, res.Refused)
			if res.Regret[0] > 2*honest+20 {
				t.Errorf("%T, %s: regret %.1f, without a liar %.1f", p, pay, res.Regret[0], honest)
			}
			if pay == sim.PayOutside && res.Refused == 0 {
				t.Errorf("%T takes values in that no rewards give", p)
			}
		}
	}
	base := play(average, "").Regret[0]
	if got := play(average, sim.PayInside).Regret[0]; got < 5*base {
		t.Errorf("average: regret %.1f, without a liar %.1f: the attack must be real, else nothing is shown", got, base)
	}
}

// TestALieIsAboutItsArm: one of four claims that the worse arm pays 1 and the better one 0, and
// all peers' means use these values, whether a release is about one arm or about all.
func TestALieIsAboutItsArm(t *testing.T) {
	for _, p := range []protocol.Params{
		running.Params{Every: 20, Pull: 20, Merge: rows.MergeMean, F: 1},
		rows.PhasesParams{First: 4, Growth: .5, Pull: 20, Merge: rows.MergeMean, F: 1},
	} {
		c := config(1, ring(4), 600, []float64{.6, .5})
		c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Privacy.Budget = p, dp.None, account.Unlimited
		for i := range 4 {
			c.Keys = append(c.Keys, vouch.For[protocol.Keys](protocoltest.Keys(protocol.Peer(i))))
		}
		c.Points, c.Truth, c.Liars = 1, []float64{.6, .5}, sim.Liars{Count: 1, Pay: sim.PayInside}
		res, err := sim.Run(c)
		if err != nil {
			t.Fatal(err)
		}
		if means := res.Means[0]; means[0] > .45+.1 || means[1] < .625-.15 {
			t.Errorf("%T: means %v, want about 0.45 and 0.625", p, means)
		}
	}
}

// TestFaultyPeersOfEpochs: one of 8 peers that explore in epochs is silent, claims false rewards,
// claims them only to one half of the peers, or sends malformed
// messages. The others refuse malformed messages, detect two contributions with one label, and
// are at most two epochs later with the same arms.
func TestFaultyPeersOfEpochs(t *testing.T) {
	const peers, rounds = 8, 3000
	play := func(l sim.Liars) sim.Result {
		graph := ring(peers)
		if l.Pay == sim.PayFork { // a peer's neighbours on a ring are in one half
			graph = protocoltest.Complete(peers)
		}
		c := config(2, graph, rounds, []float64{.9, .5, .3})
		c.Spec.Protocol = epochs.GISParams{Epochs: 1 << 20, Patience: 4, Renew: 20, Participation: 1}
		c.Spec.Learner = learner.EliminationParams{Length: 1}
		c.Spec.Privacy.Mechanism = dp.EachLaplace
		for i := range peers {
			c.Keys = append(c.Keys, vouch.For[protocol.Keys](protocoltest.Keys(protocol.Peer(i))))
		}
		c.Points, c.Truth, c.Liars = 1, []float64{.9, .5, .3}, l
		res, err := sim.Run(c)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	honest := play(sim.Liars{})
	for _, l := range []sim.Liars{
		{Count: 1, Messages: sim.MessagesSilent},
		{Count: 1, Messages: sim.MessagesMalformed},
		{Count: 1, Pay: sim.PayInside},
		{Count: 1, Pay: sim.PayFork},
		{Count: 1, Pay: sim.PayOutside},
	} {
		res := play(l)
		t.Logf("%+v: regret %.1f, without it %.1f; %d messages refused", l, res.Regret[0], honest.Regret[0], res.Refused)
		if res.Regret[0] > 4*honest.Regret[0] { // an epoch doubles it
			t.Errorf("%+v: regret %.1f, without it %.1f", l, res.Regret[0], honest.Regret[0])
		}
		for i, pulls := range res.Pulls {
			if !l.Is(i, peers) && pulls[0] < rounds*3/4 {
				t.Errorf("%+v: peer %d pulls the arms %v times", l, i, pulls)
			}
		}
		if bad := l.Messages == sim.MessagesMalformed || l.Pay == sim.PayOutside || l.Pay == sim.PayFork; bad != (res.Refused > 0) {
			t.Errorf("%+v: %d messages refused", l, res.Refused)
		}
	}
	if honest.Refused > 0 {
		t.Errorf("%d messages of honest peers are refused", honest.Refused)
	}
}

// TestALiarAboutFeatures lies about linear sums, which have one count for all their values. Sums that no
// records give are refused, and the others go on.
func TestALiarAboutFeatures(t *testing.T) {
	const peers, rounds = 5, 200
	for _, liars := range []sim.Liars{
		{Count: 1, Claim: sim.ClaimHuge},
		{Count: 1, Pay: sim.PayOutside},
		{Count: 1, Claim: sim.ClaimHalf, Pay: sim.PayInside, Noise: sim.NoiseMany},
	} {
		c := config(1, regular(t, peers, 2, 1), rounds, []float64{.9, .6, .5})
		speak(&c, protocol.Small(batches.BatchParams{Growth: .1, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 2, Pull: 4}, 5))
		c.Keys = nil
		for i := range peers {
			c.Keys = append(c.Keys, vouch.For[protocol.Keys](protocoltest.Keys(protocol.Peer(i))))
		}
		c.Liars = liars
		res, err := sim.Run(c)
		if err != nil {
			t.Fatalf("%+v: %v", liars, err)
		}
		if res.Refused == 0 {
			t.Errorf("%+v: nothing was refused", liars)
		}
	}
}
