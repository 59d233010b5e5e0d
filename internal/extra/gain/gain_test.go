package gain

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

// shop returns a site of the default testnet where decisions wait for their rewards.
func shop(t *testing.T, waited uint64) Site {
	t.Helper()
	c := require.Value(plan.Schema().Load("../../../configs/testnet.yaml", nil))(t)
	spec := require.Value(experiment.Spec(&c.Settings, make([][]protocol.Peer, 5)))(t)
	spec.Privacy.Mode = dp.Private
	return Site{Spec: spec, MinExposures: 1, Waited: waited}
}

func estimate(t *testing.T, s Site, arms []api.Arm) api.Gain {
	t.Helper()
	if text := Missing(arms); text != "" {
		t.Fatal(text)
	}
	return require.Value(Estimate(t.Context(), s, arms, 1))(t)
}

// TestGain: with means that are well known, a site has lost its pulls times the gaps, and alone it loses as much as
// the default testnet's shops do. Little evidence, or noise, makes the ranges wide.
func TestGain(t *testing.T) {
	arms := []api.Arm{
		{Name: "mail", Pulls: 9_970, Estimate: .62, Own: 1e6, Sites: 4},
		{Name: "banner", Pulls: 20, Estimate: .45, Own: 1e6},
		{Name: "call", Pulls: 10, Estimate: .30, Own: 1e6},
		{Name: "old", Pulls: 7, Estimate: .9, Own: 9, Retired: true},
	}
	g := estimate(t, shop(t, 0), arms)
	if lost := 20*.17 + 10*.32; g.Together.Low < lost-.5 || g.Together.High > lost+.5 {
		t.Errorf("lost %+v, want %v", g.Together, lost)
	}
	if g.Alone.Median < 10 || g.Alone.Median > 40 { // without noise, and with rewards at once
		t.Errorf("alone %+v", g.Alone)
	}
	if x := g.Alone.Median - g.Together.Median; g.Saved.Median < x-.5 || g.Saved.Median > x+.5 || g.Saved.Low <= 0 || g.Decisions != 10_000 || !strings.HasPrefix(g.Sentence, "joining has saved") {
		t.Errorf("%+v", g)
	}
	arms[1].Own, arms[2].NoiseSD = 4, .2
	wide := estimate(t, shop(t, 0), arms)
	if wide.Together.High-wide.Together.Low < 100*(g.Together.High-g.Together.Low) || wide.Saved.Low > 0 {
		t.Errorf("with 4 rewards of an arm, and noise at another: %+v", wide)
	}
	arms[0].Pulls, arms[2].Pulls, arms[1].Own, arms[2].NoiseSD = 20, 9_940, 1e6, 0
	if g = estimate(t, shop(t, 0), arms); !strings.HasPrefix(g.Sentence, "joining has cost this site's own users 3") {
		t.Error(g.Sentence)
	}
}

// TestTheFirstWindowIsNoLoss: at a healthy network of alike sites, minutes after the first decision, nearly all that was
// lost is the window in which no reward was back. A site alone loses it, too.
func TestTheFirstWindowIsNoLoss(t *testing.T) {
	arms := []api.Arm{ // 1,000 decisions a minute, which the site made in equal shares until the first rewards were back
		{Name: "mail", Pulls: 1_333, Estimate: .62, Own: 1_200, Borrowed: 4_800, Sites: 4, NoiseSD: .001},
		{Name: "banner", Pulls: 333, Estimate: .45, Own: 333, Borrowed: 1_300, Sites: 4, NoiseSD: .003},
		{Name: "call", Pulls: 334, Estimate: .30, Own: 334, Borrowed: 1_300, Sites: 4, NoiseSD: .003},
	}
	if at := estimate(t, shop(t, 0), arms); at.Saved.High > -50 { // what used to be stated
		t.Errorf("a site that does not wait would not be ahead by the first window: %+v", at.Saved)
	}
	g := estimate(t, shop(t, 1000), arms)
	if g.Saved.High < 0 || g.Saved.Median < -15 || g.Waited != 1000 {
		t.Errorf("alike sites of a healthy network: %+v of %+v alone", g.Saved, g.Alone)
	}
}

// TestAloneIsTheSimulatedSite: a site without neighbours that does not wait loses what it loses in the simulator.
func TestAloneIsTheSimulatedSite(t *testing.T) {
	const rounds = 3000
	s := shop(t, 0)
	s.MinExposures = 0
	s = s.alone(3)
	s.Spec.Privacy.Mode = dp.Lockstep
	means := []float64{.62, .45, .3}
	for run := range uint64(3) {
		seed := node.PeerSeed(run, 0)
		open := func() bandit.World {
			return world.NewBernoulli(means, rand.NewChaCha8(seed.Of("world")))
		}
		res := require.Value(sim.Run(sim.Config{Spec: s.Spec, Seeds: []node.Seed{seed}, Worlds: []bandit.World{open()}, Rounds: rounds, Network: seed}))(t)
		w := open()
		pulls := require.Value(s.play(seed, rounds, func(arm bandit.Arm) bandit.Reward {
			r, wrong := w.Play(arm)
			if wrong != nil {
				t.Error(wrong)
			}
			return r
		}))(t)
		for k := range means {
			if pulls[k] != res.Pulls[0][k] {
				t.Errorf("run %d: pulls %d, in the simulator %d", run, pulls, res.Pulls[0])
			}
		}
	}
}

// TestASiteAloneWaits: until the first rewards are back, arms have equal shares.
func TestASiteAloneWaits(t *testing.T) {
	s := shop(t, 300).alone(3)
	pulls, err := s.play(node.PeerSeed(1, 0), 301, func(arm bandit.Arm) bandit.Reward { return bandit.Reward(2-arm) / 2 })
	if err != nil || pulls[0] < 100 || pulls[0] > 101 || pulls[1] < 100 || pulls[1] > 101 {
		t.Errorf("%d, %v", pulls, err)
	}
	s.Waited, s.MinExposures = 0, 50
	if pulls, err = s.play(node.PeerSeed(1, 0), 150, func(arm bandit.Arm) bandit.Reward { return bandit.Reward(2-arm) / 2 }); err != nil || pulls[2] != 50 {
		t.Errorf("50 decisions of each arm come first: %d, %v", pulls, err)
	}
}

// TestNothingIsSaidTooEarly: before there is something to compare, a sentence says what is missing.
func TestNothingIsSaidTooEarly(t *testing.T) {
	for want, arms := range map[string][]api.Arm{
		"made no decision":          {{Name: "mail", Own: 3, Sites: 1}, {Name: "banner", Own: 1}},
		"no reward is released":     {{Name: "mail", Pulls: 3}, {Name: "banner"}},
		"no reward of this site":    {{Name: "mail", Pulls: 3, Borrowed: 5, Sites: 1}, {Name: "banner", Borrowed: 5, Sites: 1}},
		"no reward of another site": {{Name: "mail", Pulls: 3, Own: 3}, {Name: "banner", Own: 4}},
		"no reward of banner":       {{Name: "mail", Pulls: 3, Own: 3, Borrowed: 3, Sites: 1}, {Name: "banner"}},
		"":                          {{Name: "mail", Pulls: 3, Own: 3}, {Name: "banner", Borrowed: 3, Sites: 1}, {Name: "old", Retired: true}},
	} {
		got := Missing(arms)
		if (got == "") != (want == "") || !strings.Contains(got, want) || want != "" && !strings.HasPrefix(got, "what joining has gained is not known yet: ") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAnEstimateEnds with its context, also while it rests.
func TestAnEstimateEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	arms := []api.Arm{{Name: "mail", Pulls: 10, Own: 10, Sites: 1, Borrowed: 1}, {Name: "banner", Pulls: 10, Own: 10}}
	if _, err := Estimate(ctx, shop(t, 0), arms, .0001); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
