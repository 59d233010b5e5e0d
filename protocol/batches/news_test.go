package batches_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol/batches"
)

// TestNewsIsSentWhenItIsWorthIt: with schedule logdet-private every batch is drawn, and a row
// leaves exactly when decisions since the last one times the growth of the log-determinant reach
// the threshold, over restarts, too. The own belief has all batches, the neighbour's belief the
// batches that were sent. Actions are described by their number, so determinants are products of
// counts.
func TestNewsIsSentWhenItIsWorthIt(t *testing.T) {
	const threshold = 12
	one := near()
	one.First, one.Schedule, one.Threshold = 2, batches.LogDetSchedule, threshold
	split := likePapers(printed.Ball, printed.SplitEstimators)
	split.First, split.Schedule, split.Threshold = 2, batches.LogDetSchedule, threshold
	for estimators, s := range map[string]protocoltest.Setting{
		"one": locals(protocoltest.Path(2), dp.None, one), "split": locals(protocoltest.Path(2), dp.None, split),
		"batches": batching(protocoltest.Path(2), dp.None, batches.BatchParams{First: 2, DecideFrom: batches.FromReleases, Schedule: batches.LogDetSchedule, Threshold: threshold, Pull: 4, Draws: 1}),
	} {
		s.Rounds, s.Learner = 400, func() bandit.Learner { return protocoltest.Linear(2) }
		lanes := int(max(1, s.Params.Cadence().Lanes))
		n := protocoltest.New(t, s)
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
					if fresh*grown >= threshold {
						sent[k] = drawn[k]
						rows++
					}
				}
				return arm, 0
			})
			for _, d := range n.Underway { // a row's number is the number of batches that were sent
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

// TestReportsAreSentWhenTheyAreWorthIt: with an analyzer and schedule logdet-private a silo reports exactly when its
// decisions since the last report times the growth of the log-determinant of all that it believes reach the threshold.
func TestReportsAreSentWhenTheyAreWorthIt(t *testing.T) {
	const threshold = 12
	s := batching(protocoltest.Path(2), dp.None, batches.BatchParams{
		First: 2, DecideFrom: batches.FromReleases, Analyzer: 1, Schedule: batches.LogDetSchedule, Threshold: threshold, Draws: 1, Pull: 4,
	})
	s.Rounds, s.Learner = 400, func() bandit.Learner { return protocoltest.Linear(2) }
	n := protocoltest.New(t, s)
	rng := rand.New(rand.NewPCG(7, 8))
	var drawn, sent, open [2]float64 // records of the silo, by action
	batches, reports := 0, 0
	for round := range 300 {
		if round%50 == 49 {
			n.Restart(t, rng.IntN(2), 0)
		}
		due := false
		n.Play(t, func(int) (int, float64) {
			arm := rng.IntN(2)
			open[arm]++
			if open[0]+open[1] == 2 {
				batches++
				drawn[0], drawn[1], open = drawn[0]+open[0], drawn[1]+open[1], [2]float64{}
				grown := math.Log((drawn[0]+1)/(sent[0]+1)) + math.Log((drawn[1]+1)/(sent[1]+1))
				if due = (drawn[0]+drawn[1]-sent[0]-sent[1])*grown >= threshold; due {
					sent = drawn
					reports++
				}
			}
			return arm, 0
		})
		for _, d := range n.Underway {
			if seq := d.Message.Label().Seq; d.From == 1 && d.Message.Body() > 0 && seq != uint64(sent[0]+sent[1])/2 {
				t.Fatalf("round %d: a report of %d batches, want %v", round, seq, (sent[0]+sent[1])/2)
			}
		}
		if reported := slices.ContainsFunc(n.Underway, func(d protocoltest.Parcel) bool { return d.From == 1 && d.Message.Body() > 0 }); due && !reported {
			t.Fatalf("round %d: no report", round)
		}
		if own := n.Peers[1].Belief().X; math.Abs(own[0]-drawn[0]) > 1e-3 || math.Abs(own[2]-drawn[1]) > 1e-3 {
			t.Fatalf("round %d: the silo believes %v, and released %v", round, own, drawn)
		}
	}
	if reports < 5 || reports > batches/2 {
		t.Errorf("%d reports of %d batches: nothing is tested", reports, batches)
	}
}
