package batches_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// analyzedBatches returns a setting with peer 0 as analyzer, and batches of three decisions.
func analyzedBatches(g protocoltest.Graph, m dp.Mechanism) protocoltest.Setting {
	p := small()
	p.Analyzer = 1
	return batching(g, m, p)
}

// pay plays rounds in which every silo chooses arm 0, which pays 1.
func pay(t *testing.T, n *protocoltest.Network, rounds int) {
	t.Helper()
	for range rounds {
		n.Play(t, func(int) (int, float64) { return 0, 1 })
	}
}

// TestTheAnalyzerCountsEveryBatchOnce, on any graph, whatever is lost, comes twice or comes late, over
// restarts and when the analyzer has forgotten everything: in the end each silo believes the sum of
// all records in closed batches, and of no other, as without an analyzer.
func TestTheAnalyzerCountsEveryBatchOnce(t *testing.T) {
	for _, from := range []batches.DecideFrom{batches.FromReleases, batches.FromNoisedLocal} {
		for seed := range uint64(10) {
			s := analyzedBatches(protocoltest.Random(5, 3, rand.New(rand.NewPCG(seed, 1))), dp.None)
			p := s.Params.(batches.BatchParams)
			p.DecideFrom, p.Draws = from, 2
			s.Params, s.Seed = p, seed
			n := protocoltest.New(t, s)
			h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(seed, 3)), Lose: .3, Repeat: .3, Late: .4}
			choices := n.Choices(seed)
			for round := range 100 {
				n.Play(t, choices)
				h.Befall(n)
				if round%20 == 10 {
					n.Restart(t, round/20, 0)
				}
				if round == 50 {
					n.Peers[0] = n.Peer(t, 0, 1)
				}
			}
			for range 300 {
				n.Play(t, nil)
			}
			for i, peer := range n.Peers[1:] {
				want := make([]float64, 4)
				for j, other := range n.Peers[1:] {
					leaves := other.Leaves()
					if j != i && from == batches.FromNoisedLocal {
						leaves -= leaves % 2 // a batch has two draws, and others hear of batches
					}
					for k := range want {
						want[k] += total(other, leaves, k)
					}
				}
				for k, x := range peer.Belief().X {
					if math.Abs(x-want[k]) > 1e-9 || want[0]+want[1] < 350 {
						t.Fatalf("%s, seed %d, silo %d: %v, want %v", from, seed, i+1, peer.Belief().X, want)
					}
				}
			}
		}
	}
}

// total returns what a peer's first leaves hold together of a number.
func total(p *protocoltest.Peer, leaves, k int) (sum float64) {
	for _, o := range p.Released[:leaves] {
		if over := o.Leaf.Sum.Span(); over.From == 0 {
			sum = 0 // a running sum
		}
		sum += o.Leaf.Sum.At(k)
	}
	return sum
}

// TestTheAnalyzerWaitsForNoSilo: one that is cut off stops no other, and has everything once it is back.
func TestTheAnalyzerWaitsForNoSilo(t *testing.T) {
	n := protocoltest.New(t, analyzedBatches(protocoltest.Star(5), dp.None))
	h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool { return from == 4 || to == 4 }}
	for range 30 {
		pay(t, n, 1)
		h.Befall(n)
	}
	for range 3 {
		n.Play(t, nil)
		h.Befall(n)
	}
	if x := n.Peers[1].Belief().X[0]; x != 90 {
		t.Errorf("silo 1 believes %v, want 90", x)
	}
	if x := n.Peers[4].Belief().X[0]; x != 30 {
		t.Errorf("the silo that is cut off believes %v, want 30", x)
	}
	for range 40 {
		n.Play(t, nil)
	}
	for i, p := range n.Peers[1:] {
		if x := p.Belief().X[0]; x != 120 {
			t.Errorf("silo %d believes %v, want 120", i+1, x)
		}
	}
}

// TestSilosGoOnWithoutTheAnalyzer, with what they have and their own sums, and say so; one that comes
// back having lost everything takes nothing away from them.
func TestSilosGoOnWithoutTheAnalyzer(t *testing.T) {
	n := protocoltest.New(t, analyzedBatches(protocoltest.Star(4), dp.None))
	lost := func(i int) bool {
		d, ok := n.Peers[i].Protocol.(protocol.Dependent)
		if !ok {
			t.Fatal("the protocol needs nobody")
		}
		needed, is := d.Lost()
		return is && needed == 0
	}
	pay(t, n, 30)
	for range 3 {
		n.Play(t, nil)
	}
	h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool { return from == 0 || to == 0 }}
	for range 60 {
		if lost(1) && n.Round < 50 {
			t.Fatalf("lost in round %d", n.Round)
		}
		pay(t, n, 1)
		h.Befall(n)
	}
	for i, p := range n.Peers[1:] {
		if x := p.Belief().X[0]; x != 2*30+90 || !lost(i+1) {
			t.Errorf("silo %d believes %v, want 150; it says that the analyzer is away: %v", i+1, x, lost(i+1))
		}
	}
	n.Peers[0] = n.Peer(t, 0, 1)
	for range 40 {
		n.Play(t, nil)
		for i, p := range n.Peers[1:] {
			if x := p.Belief().X[0]; x < 150 {
				t.Fatalf("silo %d believes %v, and had 150", i+1, x)
			}
		}
	}
	for i, p := range n.Peers[1:] {
		if x := p.Belief().X[0]; x != 270 || lost(i+1) {
			t.Errorf("silo %d believes %v, want 270; it says that the analyzer is away: %v", i+1, x, lost(i+1))
		}
	}
}

// TestASiloGetsAsMuchFromManyAsFromFew: bytes to a silo do not grow with the number of silos, and
// the noise in the sum that it gets is the sum of all others' noise.
func TestASiloGetsAsMuchFromManyAsFromFew(t *testing.T) {
	received := func(peers int) (bytes int) {
		n := protocoltest.New(t, analyzedBatches(protocoltest.Star(peers), dp.Tree))
		for range 30 {
			for _, u := range n.Underway {
				if u.To == 1 {
					bytes += len(u.Message.Frame())
				}
			}
			pay(t, n, 1)
		}
		for range 3 {
			n.Play(t, nil)
		}
		variance := 0.
		for _, p := range n.Peers[1:] {
			variance += p.Released[9].Leaf.Sum.NoiseMoments().Variance()
		}
		if b := n.Peers[1].Belief(); math.Abs(2*b.LaplaceSumSq[0]-variance) > 1e-9*variance || math.Abs(1/b.SampleVar[0]-float64(30*(peers-1))) > 1e-6 {
			t.Errorf("%d peers: noise of variance %v in %v records, want %v", peers, 2*b.LaplaceSumSq[0], 1/b.SampleVar[0], variance)
		}
		return bytes
	}
	if few, many := received(3), received(30); float64(many) > 1.2*float64(few) {
		t.Errorf("%d bytes from 2 silos, %d from 29", few, many)
	}
}

// TestRowsAreSumsOfPSums: an analyzer that keeps the newest p-sum of each level of every silo's tree and
// adds up those that make k batches (Algorithm 1 of paper 002) has what rows with the sum over all
// batches say, with the same noise; and both have as many numbers.
func TestRowsAreSumsOfPSums(t *testing.T) {
	s := batching(protocoltest.Path(2), dp.Tree, small())
	n := protocoltest.New(t, s)
	pay(t, n, 120)
	levels := make(map[uint64]dp.Release)
	for i, o := range n.Peers[0].Released {
		k := uint64(i + 1)
		levels[k&-k] = o.Leaf.Node
		want := make([]int64, o.Leaf.Sum.Len())
		variance := 0.
		for bit := uint64(1); bit <= k; bit <<= 1 {
			if k&bit == 0 {
				continue
			}
			node := levels[bit]
			for i := range want {
				want[i] += node.Value(i)
			}
			variance += node.Noise().Variance()
		}
		sum := o.Leaf.Sum.Fields()
		if !slices.Equal(sum.Value, want) || math.Abs(sum.Noise.Variance()-variance) > 1e-6*variance {
			t.Fatalf("%d batches: %v with noise of variance %v, want %v with %v", k, sum.Value, sum.Noise.Variance(), want, variance)
		}
		if a, b := len(o.Leaf.Node.Fields().Value), len(sum.Value); a != b {
			t.Fatalf("%d numbers in a p-sum, %d in a row", a, b)
		}
	}
}

// TestALateReportChangesNothing at the analyzer, which holds a newer one.
func TestALateReportChangesNothing(t *testing.T) {
	n := protocoltest.New(t, analyzedBatches(protocoltest.Star(3), dp.None))
	var first protocol.Message
	for range 12 {
		pay(t, n, 1)
		for _, u := range n.Underway {
			if u.From == 1 && u.Message.Body() > 0 && first == (protocol.Message{}) {
				first = u.Message
			}
		}
	}
	for range 3 {
		n.Play(t, nil)
	}
	if _, err := n.Deliver(t, 0, protocol.Delivery{From: 1, Message: first}); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		n.Play(t, nil)
		for _, u := range n.Underway {
			if d := protocoltest.DraftOf(u.Message); u.To == 2 && len(d.Body) > 0 && d.Body[0].Count(0) != 12 {
				t.Errorf("a sum of %d records, want 12", d.Body[0].Count(0))
			}
		}
	}
}
