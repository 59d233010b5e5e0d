package sim_test

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/linear"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
	"peerd.dev/protocol/shuffling"
)

// coin pays 1 with an arm's probability. It is stateless.
type coin struct {
	means []float64
	gaps  []float64 // by the mean over sites
	rng   *rand.Rand
}

func (c coin) Turn(round uint64) bandit.Turn { return bandit.Turn{Round: round} }

func (c coin) Regret(a bandit.Arm) float64 { return c.gaps[a] }

func (c coin) Save() []byte { return nil }

func (c coin) Load([]byte) error { return nil }

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

// config returns a run of protocol average on a graph. All peers have the same means unless there
// are more rows.
func config(seed uint64, links [][]protocol.Peer, rounds uint64, means ...[]float64) sim.Config {
	n := len(links)
	c := sim.Config{
		Spec: node.Spec{
			Arms: len(means[0]), Graph: links, Learner: learner.UCBParams{},
			Protocol: averaging.AverageParams{Consistency: averaging.Capped, F: 1, Rate: .2, Patience: 8},
			Privacy:  node.Privacy{Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano}, Mechanism: dp.Tree, RecordsPerUser: 1, Horizon: rounds},
		},
		Rounds:  rounds,
		Points:  10,
		Network: node.PeerSeed(seed, protocol.Everyone),
	}
	over, gaps := meanOver(n, means), []float64(nil)
	for _, m := range over {
		gaps = append(gaps, slices.Max(over)-m)
	}
	for i := range n {
		s := node.PeerSeed(seed, protocol.Peer(i))
		c.Seeds = append(c.Seeds, s)
		c.Worlds = append(c.Worlds, coin{means[i%len(means)], gaps, s.Rand("world")})
	}
	return c
}

// speak changes the protocol of a run, and its learner to one that suits: one that explores in
// epochs if the protocol has epochs.
func speak(c *sim.Config, e protocol.Params) {
	c.Spec.Protocol = e
	if protocol.TraitsOf(e).Wide {
		describe(c)
		if _, ok := e.(shuffling.Params); ok { // which states sums over sites alone, and p-sums of a tree
			c.Spec.Privacy.Mechanism = dp.TreeGaussian
			for _, l := range learner.All() {
				if p, ok := l.(linear.LinUCBParams); ok {
					c.Spec.Learner = bandit.Small(p)
				}
			}
		}
		return
	}
	if e.Cadence().Epochs == 0 {
		return
	}
	c.Spec.Privacy.Mechanism = dp.EachLaplace
	for _, l := range learner.All() {
		if bandit.TraitsOf(l).Phased {
			c.Spec.Learner = bandit.Small(l)
		}
	}
}

// describe gives a run a learner that chooses by features, and a world that has features.
func describe(c *sim.Config) {
	for _, l := range learner.All() {
		if bandit.TraitsOf(l).Contextual {
			c.Spec.Learner = bandit.Small(l)
		}
	}
	c.Spec.Privacy.Mechanism, c.Spec.Privacy.Budget.Delta = dp.BLT, 1e6
	for _, e := range world.Table() {
		if _, ok := e.(world.LinearParams); !ok {
			continue
		}
		n := len(c.Worlds)
		source, err := world.Open(world.LinearParams{Features: 3, Law: world.Sphere, Draw: world.FreshActions, Gap: .1, Instance: 1}, world.Config{
			Arms: c.Spec.Arms, Sites: n, Instance: func(number uint64) *rand.Rand { return node.NewSeed(number).Rand("instance") },
		})
		if err != nil {
			panic(err)
		}
		sites, err := source.Sites(nil)
		if err != nil {
			panic(err)
		}
		for i := range n {
			if c.Worlds[i], err = sites.World(i, rand.NewChaCha8(c.Seeds[i].Of("world"))); err != nil {
				panic(err)
			}
		}
	}
}

// average changes the parameters of a run of protocol average.
func average(c *sim.Config, change func(p *averaging.AverageParams)) {
	p := c.Spec.Protocol.(averaging.AverageParams)
	change(&p)
	c.Spec.Protocol = p
}

// ruled sets the consistency rule of a run.
func ruled(c *sim.Config, rule averaging.Consistency) {
	average(c, func(p *averaging.AverageParams) { p.Consistency = rule })
}

// rows returns parameters of protocol rows.
func plainRows() running.Params {
	return running.Params{Every: 20, Pull: 20, Merge: rows.MergeMean, F: 1}
}

// phases returns parameters of protocol phases for a budget of 1.
func phases() rows.PhasesParams {
	return rows.PhasesParams{First: 4, Growth: .5, Limit: 100_000, Pull: 20, Merge: rows.MergeMean, F: 1}
}

// meanOver returns each arm's mean over n sites that take the rows in turn.
func meanOver(n int, rows [][]float64) []float64 {
	mean := make([]float64, len(rows[0]))
	for i := range n {
		for k, m := range rows[i%len(rows)] {
			mean[k] += m / float64(n)
		}
	}
	return mean
}

// BenchmarkAgentSteps plays protocol average on a ring of 10 with 10 arms, at the paper's rate of
// one exchange per round. Goal on one core: 1,500,000 steps/s with exact noise, 2,000,000
// without.
func BenchmarkAgentSteps(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as in peerd experiment
	for _, m := range []dp.Mechanism{dp.Tree, dp.None} {
		b.Run(m.String(), func(b *testing.B) {
			const peers = 10
			c := benchmark(peers, uint64(max(1, b.N/peers)), m)
			b.ReportAllocs()
			b.ResetTimer()
			require.Value(sim.Run(c))(b)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// BenchmarkAgentMemory reports the heap that an agent holds in the middle of such a run with a
// horizon of 2^20 rounds, including its mailbox and worlds.
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
		require.Value(sim.Run(c))(b)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/peers, "B/agent")
	}
}

func benchmark(peers int, rounds uint64, m dp.Mechanism) sim.Config {
	c := config(1, ring(peers), rounds, []float64{.1, .2, .3, .4, .5, .6, .7, .8, .85, .9})
	average(&c, func(p *averaging.AverageParams) { p.Rate = 1 / float64(peers) })
	c.Spec.Privacy.Mechanism = m
	if m == dp.None {
		c.Spec.Privacy.Budget = account.Unlimited
	}
	return c
}
