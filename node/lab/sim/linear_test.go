//go:build unix

package sim_test

import (
	"math/rand/v2"
	"runtime/debug"
	"syscall"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/linear"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// silosOf returns a run at the scale of Zhou and Chowdhury (2024, section 6): 100 silos, each of
// which hears all others, and 100 actions of 10 features. first is the number of decisions in the
// first batch of a silo; number is the number of the run, from 1.
func silosOf(b testing.TB, number, rounds, first uint64, index linear.Index, p world.LinearParams) sim.Config {
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
	c := config(number, links, rounds, make([]float64, actions))
	for _, e := range papers.All() {
		if p, ok := e.(batches.BatchParams); ok {
			p.First, p.Pull = first, 1000
			c.Spec.Protocol = p
		}
	}
	c.Spec.Learner = linear.LinUCBParams{Features: features, Index: index, Radius: 1, Records: linear.WithoutSquares, Map: bandit.Concat}
	c.Spec.Privacy.Mechanism, c.Spec.Privacy.Budget.Delta = dp.Sqrt, 1e6
	c.Topic = true
	p.Features, p.Gap, p.Instance = features, .1, 1
	for _, e := range world.Table() {
		if _, ok := e.(world.LinearParams); !ok {
			continue
		}
		source := require.Value(world.Open(p, world.Config{
			Arms: actions, Sites: silos, Instance: func(number uint64) *rand.Rand { return node.NewSeed(number).Rand("instance") },
		}))(b)
		sites, err := source.Sites(node.NewSeed(number).Rand("means"))
		if err != nil {
			b.Fatal(err)
		}
		for i := range silos {
			c.Worlds[i] = require.Value(sites.World(i, rand.NewChaCha8(c.Seeds[i].Of("world"))))(b)
		}
	}
	for i := range silos {
		c.Keys = append(c.Keys, vouch.For[protocol.Keys](protocoltest.Keys(protocol.Peer(i))))
	}
	return c
}

// BenchmarkLinearSteps plays learners by features: contexts, decisions, rewards, sums, noise and
// messages. The rate is per second of processor time, including garbage collection. Goal: 200,000
// steps/s with new actions in every round.
func BenchmarkLinearSteps(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as in peerd experiment
	for _, draw := range []world.Drawing{world.FreshActions, world.OwnActions} {
		for _, index := range []linear.Index{linear.SampledIndex, linear.BoundIndex} {
			b.Run(string(draw)+"/"+string(index), func(b *testing.B) {
				c := silosOf(b, 1, uint64(max(1, b.N/100)), 100, index, world.LinearParams{Law: world.Sphere, Draw: draw})
				rate(b, c)
			})
		}
	}
}

// rate plays a run of b.N steps and reports how many it played in a second of processor time.
func rate(b *testing.B, c sim.Config) {
	b.Helper()
	before := processorTime(b)
	b.ResetTimer()
	res := require.Value(sim.Run(c))(b)
	b.ReportMetric(float64(b.N)/(processorTime(b)-before), "steps/s")
	b.ReportMetric(float64(res.Released)/100, "releases")
	b.ReportMetric(res.Regret[len(res.Regret)-1], "regret")
}

// processorTime returns the processor time of the process in seconds.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
