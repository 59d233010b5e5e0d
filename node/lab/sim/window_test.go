package sim_test

import (
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

// TestAWindowPaysWhereArmsChange: and it costs where they do not. Arms change places twice in
// 12,000 rounds, or never. Without a window, what was learned first outweighs what is true now.
func TestAWindowPaysWhereArmsChange(t *testing.T) {
	const rounds, seeds = 12_000, 4
	play := func(window, every uint64) (regret float64) {
		for seed := range uint64(seeds) {
			means := [][]float64{{.9, .3, .4}, {.7, .5, .2}, {.8, .1, .3}}
			c := signed(config(seed, ring(3), rounds, means...))
			p := phases()
			p.Window = window
			c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Learner = p, dp.EachLaplace, learner.KLUCBParams{Level: learner.TwoLog}
			for i := range c.Worlds {
				c.Worlds[i] = changing(t, means, every, i, node.PeerSeed(seed, protocol.Peer(i)).Of("world"))
			}
			res := require.Value(sim.Run(c))(t)
			regret += res.Regret[len(res.Regret)-1] / seeds
		}
		return regret
	}
	stay, stayWindow := play(0, rounds), play(1500, rounds)
	change, changeWindow := play(0, rounds/3), play(1500, rounds/3)
	t.Logf("regret where arms stay %.0f, with a window %.0f; where they change %.0f, with a window %.0f", stay, stayWindow, change, changeWindow)
	if changeWindow > change/3 {
		t.Error("a window is of little use where arms change")
	}
	if stayWindow < 2*stay || stayWindow > 10*stay {
		t.Error("a window costs other than what 8 runs of its length do")
	}
}

// changing returns a site of a world whose arms change places.
func changing(t *testing.T, means [][]float64, every uint64, site int, seed [32]byte) bandit.World {
	for _, e := range world.Table() {
		p, ok := e.(world.ChangingParams)
		if !ok {
			continue
		}
		p.Means, p.Every = means, every
		source := require.Value(world.Open(p, world.Config{Arms: len(means[0]), Sites: len(means)}))(t)
		sites := require.Value(source.Sites(nil))(t)
		return require.Value(sites.World(site, rand.NewChaCha8(seed)))(t)
	}
	t.Fatal("no world changes")
	return nil
}
