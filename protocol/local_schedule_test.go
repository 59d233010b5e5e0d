package protocol_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/protocoltest"
)

// TestNewsIsSentWhenItIsWorthIt: with schedule logdet-private every batch is drawn, and a row leaves
// exactly when decisions since the last one times the growth of the log-determinant reach the
// threshold, over restarts, too. The own belief has all batches, that of the neighbour those that
// were sent. Actions are described by their number, so determinants are products of counts.
func TestNewsIsSentWhenItIsWorthIt(t *testing.T) {
	for _, estimators := range []protocol.Estimators{protocol.OneEstimator, protocol.SplitEstimators} {
		p := near()
		p.Estimators, p.First, p.Schedule, p.Threshold = estimators, 2, protocol.LogDetSchedule, 12
		s := locals(protocoltest.Path(2), dp.None, p)
		s.Rounds, s.Learner = 400, func() bandit.Learner { return protocoltest.Linear(2) }
		lanes := int(max(1, s.Entry.Cadence(p).Lanes))
		n := newNetwork(t, s)
		rng := rand.New(rand.NewPCG(7, 7))
		type counts [2]float64 // records, by action
		drawn, sent, heard, open := make([]counts, 2*lanes), make([]counts, 2*lanes), make([]counts, 2*lanes), make([]counts, 2*lanes)
		batches, rows := 0, 0
		for round := range 400 {
			copy(heard, sent)
			if round%50 == 49 {
				n.Restart(t, rng.IntN(2), 0)
			}
			n.Play(t, func(i int) (int, float64) {
				k := i*lanes + round%lanes
				arm := rng.IntN(2)
				open[k][arm]++
				if open[k][0]+open[k][1] == 2 {
					batches++
					drawn[k][0], drawn[k][1] = drawn[k][0]+open[k][0], drawn[k][1]+open[k][1]
					open[k] = counts{}
					grown, fresh := 0., 0.
					for a := range 2 {
						theirs := heard[(1-i)*lanes+round%lanes][a]
						grown += math.Log((theirs + drawn[k][a] + 1) / (theirs + sent[k][a] + 1))
						fresh += drawn[k][a] - sent[k][a]
					}
					if fresh*grown >= p.Threshold {
						sent[k] = drawn[k]
						rows++
					}
				}
				return arm, 0
			})
			for _, d := range n.Underway { // a row's number is that of the batches that were sent
				leaves := 0.
				for lane := range lanes {
					x := sent[int(d.From)*lanes+lane]
					leaves += (x[0] + x[1]) / 2
				}
				if d.Message.Body() > 0 && float64(d.Message.Label().Seq) > leaves {
					t.Fatalf("%s, round %d: row %d of %v batches that were sent", estimators, round, d.Message.Label().Seq, leaves)
				}
			}
			for i, peer := range n.Peers {
				if peer.Leaves() > batches {
					t.Fatalf("peer %d has %d leaves of %d batches", i, peer.Leaves(), batches)
				}
				next := (round + 1) % lanes
				b := peer.Belief()
				for a := range 2 {
					at := 2 * a                                                                                     // of xxᵀ in svec: 11, 12, 22
					if want := drawn[i*lanes+next][a] + heard[(1-i)*lanes+next][a]; math.Abs(b.X[at]-want) > 1e-3 { // features are rounded to the grid
						t.Fatalf("%s, round %d, peer %d believes %v of action %d, want %v", estimators, round, i, b.X[at], a, want)
					}
				}
			}
		}
		t.Logf("%s: %d batches, %d rows", estimators, batches, rows)
		if rows < 20 || rows > batches/2 {
			t.Errorf("%s: %d rows of %d batches: nothing is tested", estimators, rows, batches)
		}
		// Past the horizon the rest is sent. Once neighbours agree they are silent.
		for range 6 {
			n.Play(t, func(int) (int, float64) { return 0, 0 })
		}
		for range 100 {
			n.Play(t, nil)
		}
		if len(n.Underway) > 0 {
			t.Errorf("%s: %d messages though nothing is new", estimators, len(n.Underway))
		}
		for i, peer := range n.Peers {
			for a := range 2 {
				want := 0.
				for j := range 2 {
					want += drawn[j*lanes+int(n.Round)%lanes][a]
				}
				if got := peer.Belief().X[2*a]; !peer.Over() || math.Abs(got-want) > 1e-3 {
					t.Errorf("%s, peer %d believes %v of action %d in the end, want %v", estimators, i, got, a, want)
				}
			}
		}
	}
}
