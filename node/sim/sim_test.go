package sim_test

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/node/sim"
	"peerd.dev/protocol"
)

// coin pays 1 with an arm's probability.
type coin struct {
	means []float64
	rng   *rand.Rand
}

func (c coin) Means() []float64 { return c.means }

func (c coin) Play(a bandit.Arm) (bandit.Reward, error) {
	if c.rng.Float64() < c.means[a] {
		return 1, nil
	}
	return 0, nil
}

func ring(n int) [][]protocol.Peer {
	out := make([][]protocol.Peer, n)
	for i := range n {
		a, b := protocol.Peer((i+1)%n), protocol.Peer((i+n-1)%n)
		out[i] = []protocol.Peer{min(a, b), max(a, b)}
	}
	return out
}

// config returns a run of protocol average on a graph, every peer with the same
// means unless more rows are given.
func config(seed uint64, links [][]protocol.Peer, rounds uint64, means ...[]float64) sim.Config {
	n := len(links)
	c := sim.Config{
		Spec: node.Spec{
			Arms: len(means[0]), Peers: n, Confidence: bandit.Calibrated, Protocol: "average",
			Params: protocol.Params{
				Average: protocol.AverageParams{Consistency: protocol.Budget, F: 1, Rate: .2, Patience: 8},
				Rows:    protocol.RowsParams{Every: 20, Pull: 20, Merge: protocol.MergeMean, F: 1},
			},
			Privacy: node.Privacy{Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano}, Mechanism: dp.Tree, RecordsPerUser: 1, Horizon: rounds},
		},
		Neighbours: links,
		Rounds:     rounds,
		Points:     10,
		Network:    node.PeerSeed(seed, protocol.Everyone),
	}
	for i := range n {
		s := node.PeerSeed(seed, protocol.Peer(i))
		c.Seeds = append(c.Seeds, s)
		c.Worlds = append(c.Worlds, coin{means[i%len(means)], s.Rand("world")})
	}
	return c
}

// BenchmarkAgentSteps plays protocol average on a ring of 10 with 10 arms, at the
// paper's rate of one exchange a round. Wanted on one core: 1,000,000 steps/s with
// exact noise, 2,000,000 without.
func BenchmarkAgentSteps(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as peerd experiment does
	for _, m := range []dp.Mechanism{dp.Tree, dp.None} {
		b.Run(m.String(), func(b *testing.B) {
			const peers = 10
			c := benchmark(peers, uint64(max(1, b.N/peers)), m)
			b.ReportAllocs()
			b.ResetTimer()
			if _, err := sim.Run(c); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// BenchmarkAgentMemory reports the heap that an agent holds in the middle of such
// a run with a horizon of 2^20 rounds, its mailbox and worlds included.
func BenchmarkAgentMemory(b *testing.B) {
	const peers, rounds = 1000, 200
	for range b.N {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := benchmark(peers, rounds, dp.Tree)
		c.Spec.Privacy.Horizon = 1 << 20
		c.Watch = func(t protocol.Round, _ []*node.Agent) {
			if t == rounds-1 {
				runtime.GC()
				runtime.ReadMemStats(&after)
			}
		}
		if _, err := sim.Run(c); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/peers, "B/agent")
	}
}

func benchmark(peers int, rounds uint64, m dp.Mechanism) sim.Config {
	c := config(1, ring(peers), rounds, []float64{.1, .2, .3, .4, .5, .6, .7, .8, .85, .9})
	c.Spec.Params.Average.Rate = 1 / float64(peers)
	c.Spec.Privacy.Mechanism = m
	if m == dp.None {
		c.Spec.Privacy.Budget = account.Unlimited
	}
	return c
}
