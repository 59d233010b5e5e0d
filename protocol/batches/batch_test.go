package batches_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// batching returns a setting of protocol batch, whose statistic is how often each of two arms was
// pulled, and what each paid.
func batching(g protocoltest.Graph, m dp.Mechanism, p batches.BatchParams) protocoltest.Setting {
	return protocoltest.Setting{
		Graph: g, Arms: 2, Rounds: 1000, Mechanism: m, Params: p,
		Learner: func() bandit.Learner { return protocoltest.Vector(2) },
	}
}

// TestEveryBatchCountsOnce, whatever is lost, comes twice or comes late, and over restarts: in
// the end all believe the sum of all records in closed batches, and of no other, also where choices follow from others.
func TestEveryBatchCountsOnce(t *testing.T) {
	for _, wrap := range []node.Wrapper{nil, printed.Raw{Choices: true}.Wrap} {
		p := small()
		if wrap != nil {
			p.First, p.Growth = 2, .5
		}
		for seed := range uint64(10) {
			s := batching(protocoltest.Random(5, 3, rand.New(rand.NewPCG(seed, 1))), dp.None, p)
			s.Seed, s.Wrap = seed, wrap
			n := protocoltest.New(t, s)
			h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(seed, 3)), Lose: .3, Repeat: .3, Late: .4}
			choices := n.Choices(seed)
			kept, open := make([]float64, 4), make([][]float64, 5) // sums in closed batches, and by peer in the open one
			for i := range open {
				open[i] = make([]float64, 4)
			}
			closed := make([]int, 5)
			for round := range 100 {
				n.Play(t, func(i int) (int, float64) {
					arm, y := choices(i)
					if arm >= 0 {
						open[i][arm]++
						open[i][2+arm] += y
					}
					return arm, y
				})
				for i, peer := range n.Peers {
					if leaves := peer.Leaves(); leaves > closed[i] {
						closed[i] = leaves
						for k, x := range open[i] {
							kept[k] += x
						}
						clear(open[i])
					}
				}
				h.Befall(n)
				if round%20 == 10 {
					n.Restart(t, round/20, 0)
				}
			}
			for range 200 {
				n.Play(t, nil)
			}
			for i, peer := range n.Peers {
				for k, x := range peer.Belief().X {
					if math.Abs(x-kept[k]) > 1e-3 { // rewards are rounded to the grid
						t.Fatalf("%+v, seed %d, peer %d: %v, want %v", p, seed, i, peer.Belief().X, kept)
					}
				}
			}
		}
	}
}

// TestNoiseOfSitesAddsUp: the noise in a belief is the total of all sites' sums, with every
// mechanism, including mechanisms that release batches one by one.
func TestNoiseOfSitesAddsUp(t *testing.T) {
	for _, m := range dp.Mechanisms() {
		if m.Law() == dp.Gaussian {
			continue // it needs a delta
		}
		n := protocoltest.New(t, batching(protocoltest.Path(2), m, small()))
		for range 15 {
			n.Play(t, func(int) (int, float64) { return 0, 1 })
		}
		for range 2 {
			n.Play(t, nil)
		}
		var variance, records float64
		for _, p := range n.Peers {
			if len(p.Released) != 5 {
				t.Fatalf("%v: %d batches of 15 decisions", m, len(p.Released))
			}
			for i, o := range p.Released {
				if m.Running() && i < 4 {
					continue // the last sum holds them
				}
				x := o.Leaf.Sum
				variance += x.NoiseMoments().Variance()
				records += float64(x.Count(0))
			}
		}
		for i, p := range n.Peers {
			b := p.Belief()
			got := 2*b.LaplaceSumSq[0] + b.GaussVar[0]
			if math.Abs(got-variance) > 1e-9*variance || math.Abs(1/b.SampleVar[0]-records) > 1e-9 || m == dp.None && !slices.Equal(b.X, []float64{30, 0, 30, 0}) {
				t.Errorf("%v, peer %d: noise of variance %v in %v records, want %v in %v", m, i, got, 1/b.SampleVar[0], variance, records)
			}
		}
	}
}

// TestABatchIsOfDecisions: it closes with its last record, and neither with time nor with what
// others do.
func TestABatchIsOfDecisions(t *testing.T) {
	n := protocoltest.New(t, batching(protocoltest.Path(2), dp.Tree, batches.BatchParams{First: 4, Growth: .5, DecideFrom: batches.FromReleases, Pull: 4, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}))
	sizes := []int{4, 4, 4, 6, 9}
	for i, size := range sizes {
		for k := range size {
			if got := n.Peers[0].Leaves(); got != i {
				t.Fatalf("%d batches after %d decisions of batch %d", got, k, i+1)
			}
			n.Pull(t, 0, 1, .5)
			n.Play(t, nil)
		}
	}
	if a, b := n.Peers[0].Leaves(), n.Peers[1].Leaves(); a != len(sizes) || b != 0 {
		t.Errorf("%d batches of the one, %d of the other", a, b)
	}
}

// TestNoRowOfBatchIsALie checks that no row differs from every honest one.
func TestNoRowOfBatchIsALie(t *testing.T) {
	n := protocoltest.New(t, batching(protocoltest.Path(2), dp.None, small()))
	var rows []protocol.Message
	for range 3 {
		for _, e := range n.Pull(t, 0, 0, 1) {
			rows = append(rows, e.Message)
		}
	}
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	for name, change := range map[string]func(f *dp.Fields){
		"other count":   func(f *dp.Fields) { f.Count[0] = 2 },
		"no count":      func(f *dp.Fields) { f.Count = nil },
		"too much":      func(f *dp.Fields) { f.Value[0] *= 2 },
		"another width": func(f *dp.Fields) { f.Value = f.Value[:3] },
		"noise":         func(f *dp.Fields) { f.Noise = dp.Noise{Scale: 1, VarianceUnits: dp.VarianceScale} },
		"another part":  func(f *dp.Fields) { f.Stream = 1 },
	} {
		d := protocoltest.DraftOf(rows[0])
		f := d.Body[0].Fields()
		change(&f)
		x, err := dp.Received(vouch.For(f))
		if err != nil {
			t.Fatal(err)
		}
		d.Body[0] = x
		if _, err := n.Deliver(t, 1, protocol.Delivery{From: 0, Message: d.Signed(protocoltest.Keys(0))}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if b := n.Peers[1].Belief(); b.Known(0) {
		t.Errorf("%v", b.X)
	}
	if _, err := n.Deliver(t, 1, protocol.Delivery{From: 0, Message: rows[0]}); err != nil || !n.Peers[1].Belief().Known(0) {
		t.Error(err)
	}
}

// small are parameters of batches of three decisions.
func small() batches.BatchParams {
	return batches.BatchParams{First: 3, DecideFrom: batches.FromReleases, Pull: 4, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}
}

// TestANoisedBatchHasManyDraws: with a noised local sum a peer believes its own batch so far
// after every draw, and others hear of it at its end, of the same sum. What is left of a batch at
// the horizon is sent, too.
func TestANoisedBatchHasManyDraws(t *testing.T) {
	s := batching(protocoltest.Path(2), dp.Tree, batches.BatchParams{First: 2, Growth: .5, DecideFrom: batches.FromNoisedLocal, Draws: 3, Pull: 4, Schedule: batches.FixedSchedule, Threshold: 1})
	s.Rounds = 24 // 12 draws: three batches of 3, and the first 3 of one of 5
	n := protocoltest.New(t, s)
	own, other := n.Peers[0], n.Peers[1]
	for decisions := 1; decisions <= 30; decisions++ {
		n.Pull(t, 0, 1, .5)
		n.Play(t, nil)
		n.Play(t, nil)
		draws := min(decisions/2, 12)
		shown := draws / 3 * 3
		if shown == 12 && decisions < 26 { // no peer knows yet that there is no 13th
			shown = 9
		}
		if got := own.Leaves(); got != draws {
			t.Fatalf("%d draws after %d decisions, want %d", got, decisions, draws)
		}
		for _, c := range []struct {
			peer  *protocoltest.Peer
			draws int
		}{{own, draws}, {other, shown}} {
			want := make([]float64, 4)
			if c.draws > 0 {
				sum := own.Released[c.draws-1].Leaf.Sum
				for i := range want {
					want[i] = sum.At(i)
				}
			}
			if got := c.peer.Belief().X; !slices.Equal(got, want) {
				t.Fatalf("after %d decisions: %v, want the sum of %d draws, %v", decisions, got, c.draws, want)
			}
		}
	}
}
