//go:build unix

package sim_test

import (
	"math/rand/v2"
	"runtime/debug"
	"syscall"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/world"
	"peerd.dev/dp"
	"peerd.dev/node"
	"peerd.dev/node/sim"
	"peerd.dev/protocol"
	"peerd.dev/protocol/protocoltest"
)

// linear returns a run at the scale of Zhou and Chowdhury (2024, section 6): 100 silos, which
// all hear of each other, and 100 actions of 10 features.
func linear(b *testing.B, rounds uint64, index bandit.LinearIndex, draw world.Drawing) sim.Config {
	b.Helper()
	const silos, actions, features = 100, 100, 10
	links := make([][]protocol.Peer, silos)
	for i := range links {
		for j := range links {
			if j != i {
				links[i] = append(links[i], protocol.Peer(j))
			}
		}
	}
	c := config(1, links, rounds, make([]float64, actions))
	for _, e := range protocol.Table() {
		if p, ok := e.Params.(protocol.BatchParams); ok {
			p.First, p.Pull = 100, 1000
			c.Spec.Protocol = p
		}
	}
	c.Spec.Learner = bandit.LinUCBParams{Features: features, Index: index, Radius: 1, Records: bandit.WithoutSquares}
	c.Spec.Privacy.Mechanism, c.Spec.Privacy.Budget.Delta = dp.Sqrt, 1e6
	c.Topic = true
	p := world.LinearParams{Features: features, Law: world.Sphere, Draw: draw, Gap: .1, Instance: 1}
	for _, e := range world.Table() {
		if _, ok := e.Params.(world.LinearParams); !ok {
			continue
		}
		source, err := e.Open(world.Config{
			Arms: actions, Sites: silos, Instance: func(number uint64) *rand.Rand { return node.NewSeed(number).Rand("instance") },
		}, p)
		if err != nil {
			b.Fatal(err)
		}
		sites, err := source.Sites(nil)
		if err != nil {
			b.Fatal(err)
		}
		for i := range silos {
			if c.Worlds[i], err = sites.World(i, rand.NewChaCha8(c.Seeds[i].Of("world"))); err != nil {
				b.Fatal(err)
			}
		}
	}
	for i := range silos {
		c.Keys = append(c.Keys, protocoltest.Keys(protocol.Peer(i)))
	}
	return c
}

// BenchmarkLinearSteps plays learners by features: contexts, decisions, rewards, sums, noise
// and messages. The rate is by processor time, garbage collection included. Wanted: 200,000
// steps/s where every round has new actions.
func BenchmarkLinearSteps(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as peerd experiment does
	for _, draw := range []world.Drawing{world.FreshActions, world.OwnActions} {
		for _, index := range []bandit.LinearIndex{bandit.SampledIndex, bandit.BoundIndex} {
			b.Run(string(draw)+"/"+string(index), func(b *testing.B) {
				c := linear(b, uint64(max(1, b.N/100)), index, draw)
				before := processorTime(b)
				b.ResetTimer()
				res, err := sim.Run(c)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(b.N)/(processorTime(b)-before), "steps/s")
				b.ReportMetric(float64(res.Released)/100, "releases")
			})
		}
	}
}

// processorTime returns the seconds that the process has computed for.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
