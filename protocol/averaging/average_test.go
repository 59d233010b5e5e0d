package averaging_test

import (
	"fmt"
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

func averageOver(graph protocoltest.Graph, rate float64) protocoltest.Setting {
	return protocoltest.Setting{
		Graph: graph, Arms: 2, Rounds: 5000, Mechanism: dp.None, Seed: 1,
		Params: averageParams(averaging.Max, rate),
	}
}

// TestEveryLinkAverages: at every allowed rate, declining does not keep two neighbours apart
// forever. On the path every inner peer asks and is asked.
func TestEveryLinkAverages(t *testing.T) {
	for _, rate := range []float64{.05, .2, .5} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			n := protocoltest.New(t, averageOver(protocoltest.Path(5), rate))
			for range 1000 {
				n.Play(t, nil)
			}
			exchanged := make(map[[2]protocol.Peer]int)
			for x := range n.Crossed {
				if x.Kind == averaging.AverageDelta {
					exchanged[[2]protocol.Peer{x.A, x.B}]++
				}
			}
			for a := range protocol.Peer(4) {
				if exchanged[[2]protocol.Peer{a, a + 1}] == 0 {
					t.Errorf("in 1000 rounds %s and %s never averaged", protocoltest.Letter(a), protocoltest.Letter(a+1))
				}
			}
		})
	}
	// An exchange takes two rounds, so at higher rates every peer would always have a question to
	// ask.
	if _, err := averaging.NewAverage(protocol.Config{Graph: protocoltest.Graph{nil}, Parts: 1}, averageParams(averaging.Max, .6)); err == nil {
		t.Error("a rate of more than an exchange in two rounds is taken")
	}
}

// TestEstimatesMeet: when nothing new comes in, all estimates end at the mean of
// the own means, to the unit that halving an odd difference leaves.
func TestEstimatesMeet(t *testing.T) {
	n := protocoltest.New(t, averageOver(protocoltest.Ring(6), .4))
	for round := range 400 {
		n.Play(t, nil)
		if round == 0 {
			for i := range n.Peers {
				n.Pull(t, i, 0, float64(i)/8)
				n.Pull(t, i, 1, 1-float64(i)/8)
			}
		}
	}
	for i, p := range n.Peers {
		for k, want := range []float64{2.5 / 8, 1 - 2.5/8} {
			if got := p.Belief().X[k]; math.Abs(got-want) > 6*protocoltest.Lattice(1, averages.MeanExponent) {
				t.Errorf("peer %d, arm %d: %v, want %v", i, k, got, want)
			}
		}
	}
}

// TestAnArmFallsSilentAlone: an arm that was pulled as often as the budget pays for
// releases nothing more, keeps what is known of it over a restart, and takes no other
// arm's releases away.
func TestAnArmFallsSilentAlone(t *testing.T) {
	const horizon = 4
	s := averageOver(protocoltest.Path(2), .3)
	s.Rounds = horizon
	n := protocoltest.New(t, s)
	for range horizon + 3 {
		n.Pull(t, 0, 0, 1)
	}
	n.Restart(t, 0, 0)
	p := n.Peers[0]
	for pull := range uint64(horizon) {
		n.Pull(t, 0, 0, 0)
		n.Pull(t, 0, 1, 1)
		if got := uint64(p.Leaves()); got != horizon+pull+1 {
			t.Errorf("after pull %d of the second arm %d leaves were drawn, want %d", pull+1, got, horizon+pull+1)
		}
	}
	b := p.Belief()
	if b.X[0] != 1 || b.SampleVar[0] != 1./horizon || p.Late() != 0 {
		t.Errorf("past its horizon arm 0 has mean %v and sample variance %v, and %d late releases", b.X[0], b.SampleVar[0], p.Late())
	}
	if b.X[1] != 1 || b.SampleVar[1] != 1./horizon {
		t.Errorf("arm 1 has mean %v and sample variance %v, want those of %d pulls", b.X[1], b.SampleVar[1], horizon)
	}
}

// TestNewsMovesOneHopARound is Lemma 1 of paper 004, on which the slack of M pulls
// rests.
func TestNewsMovesOneHopARound(t *testing.T) {
	n := protocoltest.New(t, averageOver(protocoltest.Path(5), .3))
	for range 5 { // peer 0 pulls once a round, in rounds 0 to 4
		n.Play(t, func(i int) (int, float64) { return protocoltest.Count(i > 0), 0 })
	}
	for i, p := range n.Peers {
		want := uint64(max(0, 5-1-i)) // round 4's pull is news in round 5
		if i == 0 {
			want = 5
		}
		if got := p.Protocol.(*averaging.Average).Counts().At(0); got != want {
			t.Errorf("at the end of round 4 peer %d knows of %d pulls, want %d", i, got, want)
		}
	}
}

// TestNoNeighbourCanStopAPeer: an error of Released or Tick stops the peer permanently, so no
// message of a neighbour may lead to one, nor to an estimate that is NaN or infinite.
func TestNoNeighbourCanStopAPeer(t *testing.T) {
	for _, rule := range []averaging.Consistency{averaging.Max, averaging.Robust, averaging.Capped} {
		for _, claim := range []int64{dp.MaxValue, -dp.MaxValue} {
			for _, weight := range []int64{dp.MaxValue, -dp.MaxValue, 1 << 30, 1, 0} {
				t.Run(fmt.Sprint(rule, claim, weight), func(t *testing.T) { hear(t, rule, claim, weight) })
			}
		}
	}
}

// hear makes a peer hear a liar who, whatever the peer holds, asks it to meet half way to
// the end of the range.
func hear(t *testing.T, rule averaging.Consistency, claim, weight int64) {
	s := averageOver(protocoltest.Path(2), .3)
	s.Params = averageParams(rule, .3)
	n := protocoltest.New(t, s)
	p, reward := n.Peers[1], 0.
	for seq := range uint64(200) {
		lie := require.Value(dp.Received(vouch.For(dp.Fields{Value: []int64{claim, claim, weight, weight}, Exponent: averages.MeanExponent})))(t)
		counts := require.Value(dp.Received(vouch.For(dp.Fields{Count: []uint64{seq, seq}})))(t)
		for _, m := range []protocoltest.Draft{
			{Kind: averaging.AverageAsk, Label: protocol.Label{Origin: 0, Seq: seq + 1}, Body: []dp.Release{lie, counts}},
			{Kind: averaging.AverageCounts, Label: protocol.Label{Origin: 0, Seq: seq}, Body: []dp.Release{counts}},
		} {
			p.Receive([]protocol.Delivery{{From: 0, Message: m.Message()}}) // may be refused
		}
		p.Ready()

		reward = 1 - reward // the own mean goes up and down
		if err := p.Observed(p.Chose(protocol.Round(seq), node.Ruled(0)), bandit.Pull{Reward: bandit.Reward(reward)}); err != nil {
			t.Fatalf("after %d lies: %v", seq+1, err)
		}
		if err := p.Tick(protocol.Round(seq)); err != nil {
			t.Fatalf("after %d lies: %v", seq+1, err)
		}
		for _, mean := range p.Belief().X {
			if math.IsNaN(mean) || math.IsInf(mean, 0) {
				t.Fatalf("after %d lies the estimate is %v", seq+1, mean)
			}
		}
	}
}

func averageParams(rule averaging.Consistency, rate float64) averaging.AverageParams {
	return averaging.AverageParams{Consistency: rule, F: 1, Rate: rate, Patience: 4}
}
