package shuffling_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
	"peerd.dev/protocol/shuffling"
)

// Peer 0 is the shuffler, peer 1 the analyzer, all others are silos.
const firstSilo = 2

// small returns parameters with batches of three rounds.
func small(sees shuffling.Sees) shuffling.Params {
	return shuffling.Params{Every: 3, Shuffler: 1, Analyzer: 2, Sees: sees, Honest: 1, Least: 1, Deadline: 1000, Pull: 3}
}

func setting(p shuffling.Params, silos int, m dp.Mechanism) protocoltest.Setting {
	s := protocoltest.Setting{Params: p, Graph: protocoltest.Star(firstSilo + silos), Arms: 2, Rounds: 512, Mechanism: m, Seed: 1}
	s.Learner = func() bandit.Learner { return protocoltest.Vector(2) }
	return s
}

// both runs a test for what the analyzer can see.
func both(t *testing.T, f func(t *testing.T, sees shuffling.Sees)) {
	t.Helper()
	for _, sees := range []shuffling.Sees{shuffling.Reports, shuffling.Sum} {
		t.Run(string(sees), func(t *testing.T) { f(t, sees) })
	}
}

// pay plays rounds in which every silo chooses arm 0, which pays 1.
func pay(t *testing.T, n *protocoltest.Network, rounds int) {
	t.Helper()
	for range rounds {
		n.Play(t, func(int) (int, float64) { return 0, 1 })
	}
}

// kind returns the messages under way of a kind.
func kind(n *protocoltest.Network, name string) (all []protocoltest.Parcel) {
	for _, u := range n.Underway {
		if u.Message.Kind() == protocoltest.KindOf(shuffling.Params{}, name) {
			all = append(all, u)
		}
	}
	return all
}

// batchOf returns the sum of what silos have released up to a batch: number k of a sum.
func batchOf(n *protocoltest.Network, batch uint64, k int) (sum float64) {
	for _, p := range n.Peers[firstSilo:] {
		sum += p.Released[batch-1].Leaf.Sum.At(k)
	}
	return sum
}

// TestEveryBatchIsCountedOnce, whatever is lost, comes twice or comes late, over restarts of every role: in the end each silo
// believes the sum of all records in closed batches, with their noise.
func TestEveryBatchIsCountedOnce(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		for seed := range uint64(4) {
			s := setting(small(sees), 4, []dp.Mechanism{dp.None, dp.Tree}[seed%2])
			s.Seed = seed
			n := protocoltest.New(t, s)
			h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(seed, 3)), Lose: .3, Repeat: .3, Late: .4}
			choices := n.Choices(seed)
			for round := range 99 {
				n.Play(t, choices)
				h.Befall(n)
				if round%4 == 3 {
					n.Restart(t, round/4%len(n.Peers), 0)
				}
			}
			const batches = 99 / 3
			for range 12 * batches { // batches without records follow, which change nothing but noise
				n.Play(t, nil)
			}
			newest := uint64(len(n.Peers[firstSilo].Released))
			for i, p := range n.Peers[firstSilo:] {
				b := p.Belief()
				at := uint64(0)
				for k := uint64(batches); k <= newest && at == 0; k++ {
					if math.Abs(b.X[2]-batchOf(n, k, 2)) < 1e-6 && math.Abs(b.X[0]-batchOf(n, k, 0)) < 1e-6 {
						at = k
					}
				}
				if records := 1 / b.SampleVar[0]; at == 0 || math.Abs(records-4*99) > 1e-6 {
					t.Errorf("seed %d, silo %d: %v of %v records, which is the sum of no batch from %d to %d", seed, i, b.X, records, batches, newest)
				}
			}
		}
	})
}

// TestALateReportIsLostUntilALongerSum: a silo that is cut off stops no other for longer than the deadline. Its records come back
// with the first p-sum that is over them.
func TestALateReportIsLostUntilALongerSum(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		p := small(sees)
		p.Deadline, p.Every = 4, 12
		n := protocoltest.New(t, setting(p, 3, dp.None))
		h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool {
			return (from == 4 || to == 4) && n.Round >= 12 && n.Round < 24+11 // from the end of batch 1 to the end of batch 2
		}}
		var records []float64
		for range 5 * 12 {
			pay(t, n, 1)
			h.Befall(n)
			records = append(records, 1/n.Peers[firstSilo].Belief().SampleVar[0])
		}
		for batch, want := range []float64{1: 24, 2: 72 - 24, 3: 72 - 24 + 36, 4: 144} {
			if at := 12*batch + 11; batch > 0 && records[at-1] != want {
				t.Errorf("before the end of batch %d silo 0 believes in %v records, want %v", batch+1, records[at-1], want)
			}
		}
	})
}

// TestFewerThanLeastAreNotForwarded: a deadline does not make a small crowd large.
func TestFewerThanLeastAreNotForwarded(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		p := small(sees)
		p.Deadline, p.Least = 4, 3
		n := protocoltest.New(t, setting(p, 4, dp.None))
		away := map[protocol.Peer]bool{4: true, 5: true}
		h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool { return away[from] || away[to] }}
		for range 60 {
			pay(t, n, 1)
			if len(kind(n, "mixed")) > 0 {
				t.Fatal("two reports were forwarded, want three or more")
			}
			h.Befall(n)
		}
		if lost, is := n.Peers[2].Protocol.(protocol.Dependent).Lost(); !is || lost != 0 {
			t.Error("a silo without an answer for 60 rounds does not say so")
		}
		if x := n.Peers[2].Belief().X[2]; x != 60 {
			t.Errorf("the silo believes %v of its own, want 60", x)
		}
		delete(away, 4)
		forwarded := 0
		for range 400 {
			pay(t, n, 1)
			for _, u := range kind(n, "mixed") {
				forwarded = max(forwarded, int(u.Message.Ref(0).Seq))
			}
			h.Befall(n)
		}
		if want := map[shuffling.Sees]int{shuffling.Reports: 3, shuffling.Sum: 4}[sees]; forwarded != want {
			t.Errorf("with a third silo %d texts are forwarded together, want %d", forwarded, want)
		}
	})
}

// TestOneThatStaysAwayDelaysNoBatchForLonger: batches wait for a silo that never comes back at the same time and not one after
// another, also if a batch is shorter than the deadline.
func TestOneThatStaysAwayDelaysNoBatchForLonger(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		p := small(sees)
		p.Deadline = 4 * p.Every
		n := protocoltest.New(t, setting(p, 3, dp.None))
		h := protocoltest.Faults{Rand: rand.New(rand.NewPCG(1, 1)), Cut: func(from, to protocol.Peer) bool { return from == 4 || to == 4 }}
		for round := range 300 {
			pay(t, n, 1)
			h.Befall(n)
			if round%40 == 39 {
				n.Restart(t, 0, 0)
			}
		}
		if got, want := 1/n.Peers[2].Belief().SampleVar[0], 2*(300-float64(p.Deadline+p.Every+12)); got < want {
			t.Errorf("after 300 rounds a silo believes in %v records of two silos, want %v", got, want)
		}
	})
}

// TestTooFewReportsStopNoLaterBatch: two of four silos, whose nodes do not fit for many batches, do not stop those that follow, though
// fewer than least report meanwhile.
func TestTooFewReportsStopNoLaterBatch(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		p := small(sees)
		p.Deadline, p.Least = 4, 3
		n := protocoltest.New(t, setting(p, 4, dp.None))
		for range 300 {
			pay(t, n, 1)
			n.Underway = slices.DeleteFunc(n.Underway, func(u protocoltest.Parcel) bool {
				k := u.Message.Label().Seq
				return u.Message.Kind() == protocoltest.KindOf(p, "sealed") && u.From >= 4 && k > 5 && k < 40
			})
		}
		if got, want := 1/n.Peers[2].Belief().SampleVar[0], 4*(300-float64(p.Every+12)); got < want {
			t.Errorf("after 300 rounds a silo believes in %v records of four silos, want %v", got, want)
		}
	})
}

// TestTheOrderDoesNotFollowArrival: over many batches every order of three reports is forwarded as often, whichever arrived
// first, and every text has the same length. Orders that follow from who sent what, or from who came first, fail here.
func TestTheOrderDoesNotFollowArrival(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		const batches = 600
		p := small(sees)
		p.Every = 6
		s := setting(p, 3, dp.Tree)
		s.Rounds = 6 * (batches + 2)
		n := protocoltest.New(t, s)
		orders, lengths := make(map[string]int), make(map[int]int)
		from := make(map[string]protocol.Peer) // by text
		seen := make(map[uint64]bool)
		for i := range 6 * batches {
			n.Play(t, func(silo int) (int, float64) { return i % 2, float64(silo % 2) })
			for _, u := range kind(n, "sealed") {
				text := u.Message.Sealed()[0].Bytes()
				from[string(text)] = u.From
				lengths[len(text)]++
			}
			for _, u := range kind(n, "mixed") {
				if seen[u.Message.Label().Seq] {
					t.Fatalf("batch %d was forwarded twice", u.Message.Label().Seq)
				}
				seen[u.Message.Label().Seq] = true
				var order []protocol.Peer
				for _, x := range u.Message.Sealed()[len(u.Message.Sealed())-3:] {
					order = append(order, from[string(x.Bytes())])
				}
				if slices.Contains(order, 0) {
					t.Fatal("a text that no silo sent")
				}
				orders[fmt.Sprint(order)]++
			}
		}
		if len(orders) != 6 || len(lengths) != 1 {
			t.Fatalf("orders %v and lengths %v, want 6 and one", orders, lengths)
		}
		chi := 0.
		total := 0
		for _, x := range orders {
			total += x
		}
		for _, x := range orders {
			want := float64(total) / 6
			chi += (float64(x) - want) * (float64(x) - want) / want
		}
		if total < batches-5 || chi > 25 { // 5 degrees of freedom: one in 7,000
			t.Errorf("orders %v of %d batches, chi-square %.1f", orders, total, chi)
		}
	})
}

// TestWhatEachRoleSees: the state and the messages of the shuffler hold no release, and those that the analyzer receives no label of a
// silo. If it is to see the sum alone, what it opens is no report.
func TestWhatEachRoleSees(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		n := protocoltest.New(t, setting(small(sees), 3, dp.Tree))
		var released [][]byte
		for range 60 {
			n.Play(t, func(i int) (int, float64) { return i % 2, 1 })
			for _, p := range n.Peers[firstSilo:] {
				for _, o := range p.Released[max(0, len(p.Released)-1):] {
					released = append(released, values(o.Leaf.Node))
				}
			}
			state, err := n.Peers[0].Protocol.Save()
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range released {
				if bytes.Contains(state.Encode(), r) {
					t.Fatal("the state of the shuffler has the numbers of a report")
				}
			}
			for _, u := range n.Underway {
				frame := []byte(u.Message.Frame())
				for _, r := range released {
					if (u.To == 0 || u.From == 0) && bytes.Contains(frame, r) && u.Message.Kind() != protocoltest.KindOf(shuffling.Params{}, "total") {
						t.Fatal("a message to or from the shuffler has the numbers of a report")
					}
				}
				if m := u.Message; u.To == 1 {
					for i := range m.Refs() {
						if m.Ref(i).Origin != 0 {
							t.Fatal("a message to the analyzer names a silo")
						}
					}
					if m.Label().Origin != 0 {
						t.Fatal("a message to the analyzer is of a silo")
					}
				}
			}
		}
	})
}

// values returns the numbers of a release as they stand in a frame.
func values(r dp.Release) []byte {
	b := protocol.AppendRelease(nil, r)
	return b[len(b)/2-8 : len(b)/2+8]
}

// TestLostRolesGoOn: a shuffler or an analyzer that has lost its folder takes its role up again, and silos keep what they have.
func TestLostRolesGoOn(t *testing.T) {
	both(t, func(t *testing.T, sees shuffling.Sees) {
		for _, lost := range [][]int{{0}, {1}, {0, 1}} {
			p := small(sees)
			p.Every, p.Deadline = 6, 12
			n := protocoltest.New(t, setting(p, 3, dp.None))
			pay(t, n, 10*6+4)
			before := n.Peers[2].Belief().X[2]
			for _, i := range lost {
				n.Peers[i] = n.Peer(t, protocol.Peer(i), 1)
			}
			for range 30 * 6 {
				pay(t, n, 1)
				if x := n.Peers[2].Belief().X[2]; x < before {
					t.Fatalf("roles %d lost: a silo believes %v, and had %v", lost, x, before)
				}
			}
			// Batch 32 has all records of its silos.
			if x, want := n.Peers[2].Belief().X[2], float64(3*32*6); x < want {
				t.Errorf("roles %d lost: a silo believes %v, want %v or more", lost, x, want)
			}
		}
	})
}
