package gain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/kept"
	"peerd.dev/node/lab/forgeable"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

// none is a world without decisions before a round.
type none struct {
	bandit.World
	from uint64
}

func (w none) Turn(round uint64) bandit.Turn {
	if round < w.from {
		return bandit.Turn{None: true}
	}
	return w.World.Turn(round)
}

// inside plays sites that keep decisions, the last of which begins later, and returns what each knows of its arms, and what it has lost.
func inside(t *testing.T, spec node.Spec, run, decisions, late uint64, means [][]float64) (arms [][]api.Arm, insides []*node.Inside, lost []float64) {
	t.Helper()
	sites := len(means)
	spec.Arms, spec.Give, spec.Sites, spec.Privacy.Mode = len(means[0]), node.GiveFew, sites, dp.Lockstep
	spec.Graph = make([][]protocol.Peer, sites)
	for i := range spec.Graph {
		for j := range sites {
			if i != j {
				spec.Graph[i] = append(spec.Graph[i], protocol.Peer(j))
			}
		}
	}
	seed := node.PeerSeed(run, protocol.Everyone)
	mail, err := sim.NewNetwork(sites, sim.Faults{}, seed.Rand("network"))
	if err == nil {
		spec.Protocol, err = spec.Giving()
	}
	if err != nil {
		t.Fatal(err)
	}
	agents, halves, worlds, pulls := make([]*node.Agent, sites), make([]*kept.Half, sites), make([]bandit.World, sites), make([][]uint64, sites)
	for i := range sites {
		own := node.PeerSeed(run, protocol.Peer(i))
		agents[i] = require.Value(spec.Agent(node.PeerConfig{Self: protocol.Peer(i), Seed: own, Noise: own.Noise(), Keys: vouch.For[protocol.Keys](forgeable.Keys(protocol.Peer(i)))}))(t)
		halves[i] = require.Value(kept.New(&spec, protocol.Peer(i), own))(t)
		w := world.NewBernoulli(means[i], rand.NewChaCha8(own.Of("world")))
		worlds[i], pulls[i] = w, make([]uint64, spec.Arms)
		if i == sites-1 {
			worlds[i] = none{w, late}
		}
	}
	for r := range protocol.Round(decisions + late) {
		for i, a := range agents {
			w := worlds[i]
			if i < sites-1 && uint64(r) >= decisions {
				w = none{w, math.MaxUint64}
			}
			p := require.Value(kept.Round(a, halves[i], r, mail.Take(i), w))(t)
			if p.Pull.Arm != bandit.NoArm {
				pulls[i][p.Pull.Arm]++
			}
			for _, e := range a.Ready().Messages {
				for to := range sites {
					if to != i && (e.To == protocol.Everyone || e.To == protocol.Peer(to)) {
						mail.Post(r, i, to, &e.Message)
					}
				}
			}
		}
		mail.Turn()
	}
	for i, a := range agents {
		known, support := a.Summary(), a.Support()
		var of []api.Arm
		for k := range means[i] {
			of = append(of, api.Arm{
				Name: fmt.Sprint(k), Estimate: known.Estimates[k], NoiseSD: known.NoiseDevs[k],
				Own: support.Own[k], Borrowed: support.Borrowed[k], Sites: uint32(support.Sites[k]),
			})
		}
		x := &node.Inside{Pulls: pulls[i]}
		halves[i].Inside(x)
		arms, insides, lost = append(arms, of), append(insides, x), append(lost, regret(pulls[i], means[i]))
	}
	return arms, insides, lost
}

// TestGainInside: what ten reminders have saved or cost is in the range, by exact rewards: at a site from the start, at one whose users
// differ, and at one that begins later, which knows that it has saved.
func TestGainInside(t *testing.T) {
	const decisions, lives = 600, 40
	var means [][]float64
	for i := range 9 {
		row := []float64{.3, .28, .33, .27, .25, .36, .7, .31, .26, .35}
		if i == 7 {
			row[3], row[6] = .7, .36
		}
		means = append(means, row)
	}
	base := shop(t, 0)
	arms, insides, lost := inside(t, base.Spec, 1, decisions, 300, means)
	for site, begins := range map[int]string{0: "", 7: "", 8: "joining has saved this site's own users "} {
		x := insides[site]
		if Exact(arms[site], x); arms[site][6].Pulls != x.Pulls[6] || arms[site][6].Own != x.Rewards[6] || arms[site][6].NoiseSD != 0 {
			t.Errorf("site %d: %+v of %+v", site, arms[site][6], x.Pulls)
		}
		g := estimate(t, base, arms[site])
		truth := -lost[site]
		alone := base.alone(len(means[site]))
		for life := range uint64(lives) {
			a := require.Value(alone.lose(node.PeerSeed(life+1000, 0), decisions, means[site]))(t)
			truth += a / lives
		}
		t.Logf("site %d: saved %.1f, estimated %+v", site, truth, *g.Saved)
		if truth < g.Saved.Low || truth > g.Saved.High || g.Decisions != decisions || !strings.HasPrefix(g.Sentence, begins) {
			t.Errorf("site %d: saved %.1f, and %+v, %s", site, truth, *g.Saved, g.Sentence)
		}
	}
}
