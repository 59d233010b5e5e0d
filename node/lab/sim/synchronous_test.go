package sim_test

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/stats"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// TestAsynchronyAgainstThePaper compares protocol average, whose exchanges take two rounds and
// run concurrently, with Algorithms 1 and 4 of paper 004 as printed: in every round one random
// edge averages at once. Learner, noise, rewards and consistency max are the same. With few seeds
// the regrets may differ by their intervals and a tenth; PEERD_LONG plays the seeds of
// docs/lab/asynchrony.md.
func TestAsynchronyAgainstThePaper(t *testing.T) {
	if testing.Short() {
		t.Skip("a million agent steps")
	}
	three := [][]float64{
		{.13, .85, .76, .26, .50},
		{.45, .65, .79, .09, .03},
		{.84, .43, .76, .00, .45},
	}
	ten := [][]float64{
		{.62, .74, .80, .94, .74, .92, .03, .47, .94, .65},
		{.90, .11, .47, .25, .54, .57, .01, .22, .28, .92},
		{.77, .16, .80, .14, .62, .13, .00, .87, .21, .22},
		{.98, .87, .29, .96, .54, .68, .20, .94, .69, .97},
		{.89, .30, .36, .17, .15, .07, .30, .60, .00, .68},
		{.34, .31, .82, .48, .32, .48, .70, .06, .98, .02},
		{.75, .84, .02, .79, .37, .58, .01, .05, .18, .96},
		{.20, .76, .93, .94, .34, .35, .52, .78, .11, .75},
		{.80, .86, .04, .95, .09, .34, .61, .92, .34, .92},
		{.55, .31, .32, .18, .08, .15, .69, 1.0, .16, .05},
	}
	for _, x := range []struct {
		name             string
		links            [][]protocol.Peer
		means            [][]float64
		mechanism        dp.Mechanism
		rounds, longer   uint64
		seeds, manySeeds uint64
	}{
		{"three peers, no noise", ring(3), three, dp.None, 5000, 10_000, 8, 20},
		{"three peers, ε = 1", ring(3), three, dp.Tree, 5000, 20_000, 8, 20},
		{"ten peers, no noise", path(10), ten, dp.None, 5000, 10_000, 4, 8},
		{"ten peers, ε = 1", path(10), ten, dp.Tree, 5000, 40_000, 4, 8},
	} {
		t.Run(x.name, func(t *testing.T) {
			if os.Getenv("PEERD_LONG") != "" {
				x.rounds, x.seeds = x.longer, x.manySeeds
			}
			var paper, daemon []float64
			for seed := range x.seeds {
				build := func() sim.Config {
					c := config(seed, x.links, x.rounds, x.means...)
					c.Points = 1
					c.Spec.Privacy.Mechanism = x.mechanism
					if x.mechanism == dp.None {
						c.Spec.Privacy.Budget = account.Unlimited
					}
					average(&c, func(p *averaging.AverageParams) {
						p.Consistency, p.Rate = averaging.Max, 1/float64(len(edgesOf(x.links)))
					})
					return c
				}
				got := require.Value(sim.Run(build()))(t)
				daemon = append(daemon, got.Regret[0])
				paper = append(paper, newSynchronous(t, build()).play(t))
			}
			a, b := stats.MeanOf(paper), stats.MeanOf(daemon)
			t.Logf("%d rounds, %d seeds: the paper's regret %.1f ± %.1f, the daemon's %.1f ± %.1f",
				x.rounds, x.seeds, a.Mean, a.High-a.Mean, b.Mean, b.High-b.Mean)
			if math.Abs(a.Mean-b.Mean) > (a.High-a.Mean)+(b.High-b.Mean)+.1*a.Mean {
				t.Error("these differ")
			}
		})
	}
}

// A synchronous network plays paper 004's algorithms. From the daemon it uses the learner, the
// curator and the arithmetic of estimates.
type synchronous struct {
	sim.Config
	edges [][2]int
	rng   *rand.Rand
	peers []*synchronousPeer
}

type synchronousPeer struct {
	learner bandit.Learner
	curator *dp.Curator
	mixed   *averages.Mixed
	belief  bandit.Belief
	most    []uint64 // ñ: greatest pull counts that the peer has heard of
}

func newSynchronous(t *testing.T, c sim.Config) *synchronous {
	t.Helper()
	arms, p := c.Spec.Arms, c.Spec.Privacy
	s := &synchronous{Config: c, edges: edgesOf(c.Spec.Graph), rng: c.Network.Rand("edges")}
	for i := range c.Spec.Graph {
		l := require.Value(bandit.New(c.Spec.Learner, bandit.Config{Arms: arms, Peers: c.Spec.Peers(), Rand: c.Seeds[i].Rand("learner")}))(t)
		curator := require.Value(dp.NewCurator(p.Mode, vouch.For(p.Budget), c.Seeds[i].Noise()))(t)
		require.Value(curator.Open(p.Streams(l.Statistic(), protocol.Cadence{})))(t)
		peer := &synchronousPeer{learner: l, curator: curator, mixed: averages.NewMixed(arms, c.Spec.Peers()), most: make([]uint64, arms)}
		peer.belief = belief.New(arms, 1)
		for k := range arms {
			peer.mixed.Join(k)
		}
		s.peers = append(s.peers, peer)
	}
	return s
}

// play returns the regret of the average peer.
func (s *synchronous) play(t *testing.T) (regret float64) {
	t.Helper()
	for round := range s.Rounds {
		s.hear()
		chosen := make([]bandit.Arm, len(s.peers))
		for i, p := range s.peers {
			chosen[i] = p.learner.Choose(p.know(uint64(len(s.peers))), bandit.Turn{Round: round}).Arm
		}
		if round >= uint64(s.Spec.Arms) { // every arm is pulled once first
			s.exchange(t)
		}
		for i, p := range s.peers {
			reward := require.Value(s.Worlds[i].Play(chosen[i]))(t)
			p.pull(t, int(chosen[i]), float64(reward))
			regret += s.Worlds[i].Regret(chosen[i]) / float64(len(s.peers))
		}
	}
	return regret
}

// hear is line 4 of Algorithm 1: ñ(t) is the greatest of n(t-1) and the neighbours'
// ñ(t-1).
func (s *synchronous) hear() {
	next := make([][]uint64, len(s.peers))
	for i, p := range s.peers {
		next[i] = make([]uint64, len(p.most))
		for k := range next[i] {
			next[i][k] = max(p.most[k], p.belief.Pulls[k])
			for _, j := range s.Spec.Graph[i] {
				next[i][k] = max(next[i][k], s.peers[j].most[k])
			}
		}
	}
	for i, p := range s.peers {
		p.most = next[i]
	}
}

// exchange averages the estimates of one random edge.
func (s *synchronous) exchange(t *testing.T) {
	t.Helper()
	e := s.edges[s.rng.IntN(len(s.edges))]
	a, b := s.peers[e[0]].mixed, s.peers[e[1]].mixed
	d := require.Value(b.HalfDifference(a.Release()))(t)
	require.NoError(t, b.Add(d))
	require.NoError(t, a.Sub(d))
}

// know returns the belief of a peer in a network of n.
func (p *synchronousPeer) know(n uint64) *bandit.Belief {
	b := &p.belief
	b.Forced = b.Forced[:0]
	for k := range b.X {
		b.X[k] = p.mixed.At(k)
		if b.Pulls[k]+n < p.most[k] {
			b.Forced = append(b.Forced, k)
		}
	}
	return b
}

func (p *synchronousPeer) pull(t *testing.T, arm int, reward float64) {
	t.Helper()
	b := &p.belief
	require.NoError(t, p.curator.Add(dp.StreamID(arm), []float64{reward}))
	b.Pulls[arm]++
	leaf := require.Value(p.curator.Leaf(dp.StreamID(arm), b.Pulls[arm]))(t)
	noise := require.Value(p.mixed.ReplaceByMean(arm, &leaf.Sum))(t)
	b.LaplaceSumSq[arm], b.LaplaceMax[arm], b.GaussVar[arm] = noise.LaplaceSumSq, noise.LaplaceMax, noise.GaussVar
	b.SampleVar[arm] = 1 / float64(b.Pulls[arm])
}

func edgesOf(links [][]protocol.Peer) (all [][2]int) {
	for i, l := range links {
		for _, j := range l {
			if i < int(j) {
				all = append(all, [2]int{i, int(j)})
			}
		}
	}
	return all
}
