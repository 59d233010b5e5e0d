package protocol

import (
	"fmt"
	"math"
	"testing"

	"peerd.dev/dp"
)

func averaging(graph [][]Peer, rate float64) setting {
	return setting{
		protocol: "average", graph: graph, arms: 2, rounds: 5000, mechanism: dp.None, seed: 1,
		params: Params{Average: AverageParams{Consistency: Max, F: 1, Rate: rate, Patience: 4}},
	}
}

// TestEveryLinkAverages: at no rate that is allowed does declining keep two
// neighbours apart for good. On the path every inner peer asks and is asked.
func TestEveryLinkAverages(t *testing.T) {
	for _, rate := range []float64{.05, .2, .5} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			n := newNetwork(t, averaging(path(5), rate))
			for range 1000 {
				n.play(t, nil)
			}
			exchanged := make(map[[2]Peer]int)
			for x := range n.crossed {
				if x.kind == averageDelta {
					exchanged[[2]Peer{x.a, x.b}]++
				}
			}
			for a := range Peer(4) {
				if exchanged[[2]Peer{a, a + 1}] == 0 {
					t.Errorf("in 1000 rounds %s and %s never averaged", letter(a), letter(a+1))
				}
			}
		})
	}
	// An exchange takes two rounds, so at higher rates everybody would always have a
	// question to ask.
	if _, err := newAverage(Config{Arms: 1}, AverageParams{Consistency: Max, Rate: .6, Patience: 4}); err == nil {
		t.Error("a rate of more than an exchange in two rounds is taken")
	}
}

// TestEstimatesMeet: when nothing new comes in, all estimates end at the mean of
// the own means, to the unit that halving an odd difference leaves.
func TestEstimatesMeet(t *testing.T) {
	n := newNetwork(t, averaging(ring(6), .4))
	for round := range 400 {
		n.play(t, nil)
		if round == 0 {
			for i := range n.peers {
				n.pull(t, i, 0, float64(i)/8)
				n.pull(t, i, 1, 1-float64(i)/8)
			}
		}
	}
	for i, p := range n.peers {
		for k, want := range []float64{2.5 / 8, 1 - 2.5/8} {
			if got := p.Belief().Mean[k]; math.Abs(got-want) > 6*lattice(1, dp.MeanExponent) {
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
	s := averaging(path(2), .3)
	s.rounds = horizon
	n := newNetwork(t, s)
	p := n.peers[0]
	for range horizon + 3 {
		n.pull(t, 0, 0, 1)
	}
	state, err := p.Save()
	if err != nil {
		t.Fatal(err)
	}
	a := p.Protocol.(*average)
	next, err := newAverage(a.c, a.p)
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Load(state); err != nil {
		t.Fatal(err)
	}
	p.Protocol = next
	for pull := range uint64(horizon) {
		n.pull(t, 0, 0, 0)
		n.pull(t, 0, 1, 1)
		if got := p.draw.leafs; got != horizon+pull+1 {
			t.Errorf("after pull %d of the second arm %d leaves were drawn, want %d", pull+1, got, horizon+pull+1)
		}
	}
	b := p.Belief()
	if b.Mean[0] != 1 || b.Spread[0] != 1./horizon || p.draw.late != 0 {
		t.Errorf("past its horizon arm 0 has mean %v and spread %v, and %d late releases", b.Mean[0], b.Spread[0], p.draw.late)
	}
	if b.Mean[1] != 1 || b.Spread[1] != 1./horizon {
		t.Errorf("arm 1 has mean %v and spread %v, want those of %d pulls", b.Mean[1], b.Spread[1], horizon)
	}
}

// TestNewsMovesOneHopARound is Lemma 1 of paper 004, on which the slack of M pulls
// rests.
func TestNewsMovesOneHopARound(t *testing.T) {
	n := newNetwork(t, averaging(path(5), .3))
	for range 5 { // peer 0 pulls once a round, in rounds 0 to 4
		n.play(t, func(i int) (int, float64) { return b2i(i > 0), 0 })
	}
	for i, p := range n.peers {
		want := uint64(max(0, 5-1-i)) // round 4's pull is news in round 5
		if i == 0 {
			want = 5
		}
		if got := p.Protocol.(*average).counts.At(0); got != want {
			t.Errorf("at the end of round 4 peer %d knows of %d pulls, want %d", i, got, want)
		}
	}
}

// TestNoNeighbourCanStopAPeer: an error of Pulled or Tick stops the peer for good,
// so nothing that a neighbour says may lead to one, nor to an estimate that is no number.
func TestNoNeighbourCanStopAPeer(t *testing.T) {
	for _, rule := range []Consistency{Max, Robust, Budget} {
		for _, claim := range []int64{dp.MaxValue, -dp.MaxValue} {
			for _, weight := range []int64{dp.MaxValue, -dp.MaxValue, 1 << 30, 1, 0} {
				t.Run(fmt.Sprint(rule, claim, weight), func(t *testing.T) { hear(t, rule, claim, weight) })
			}
		}
	}
}

// hear makes a peer hear a liar who, whatever the peer holds, asks it to meet half way to
// the end of the range.
func hear(t *testing.T, rule Consistency, claim, weight int64) {
	s := averaging([][]Peer{{1}, {0}}, .3)
	s.params.Average.Consistency = rule
	n := newNetwork(t, s)
	p, reward := n.peers[1], 0.
	for seq := range uint64(200) {
		lie, err := dp.Received(dp.Fields{Value: []int64{claim, claim, weight, weight}, Exponent: dp.MeanExponent})
		if err != nil {
			t.Fatal(err)
		}
		counts, err := dp.Received(dp.Fields{Count: []uint64{seq, seq}})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []Message{
			{&message{kind: averageAsk, label: Label{Origin: 0, Seq: seq + 1}, body: []dp.Release{lie, counts}}},
			{&message{kind: averageCounts, label: Label{Origin: 0, Seq: seq}, body: []dp.Release{counts}}},
		} {
			_ = p.Receive(0, m, &p.out) // may be refused
		}
		p.out.Reset()

		reward = 1 - reward // the own mean goes up and down
		if err := p.door.Add(0, []float64{reward}); err != nil {
			t.Fatal(err)
		}
		p.Chosen(0)
		if err := p.Pulled(0, &p.out); err != nil {
			t.Fatalf("after %d lies: %v", seq+1, err)
		}
		if err := p.Tick(Round(seq), &p.out); err != nil {
			t.Fatalf("after %d lies: %v", seq+1, err)
		}
		for _, mean := range p.Belief().Mean {
			if math.IsNaN(mean) || math.IsInf(mean, 0) {
				t.Fatalf("after %d lies the estimate is %v", seq+1, mean)
			}
		}
	}
}
