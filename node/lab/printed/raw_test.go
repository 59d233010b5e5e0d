package printed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// TestRawNewsIsSentWhenItIsWorthIt: with raw news a peer sends exactly when its records since the last
// message, as they are, times the growth of the log-determinant of what it believed after that message reach the
// threshold, over restarts, too. All batches are drawn and believed by the peer itself.
func TestRawNewsIsSentWhenItIsWorthIt(t *testing.T) {
	const threshold = 12
	for _, p := range []protocol.Params{
		batches.BatchParams{Hops: 2, First: 2, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Threshold: 1, Pull: 4, Draws: 1},
		batches.BatchParams{First: 2, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Pull: 4, Threshold: 1, Draws: 1},
		batches.BatchParams{First: 2, DecideFrom: batches.FromReleases, Schedule: batches.FixedSchedule, Analyzer: 1, Pull: 4, Threshold: 1, Draws: 1},
	} {
		s := protocoltest.Setting{
			Graph: protocoltest.Path(2), Arms: 2, Rounds: 400, Mechanism: dp.None, Params: p, Wrap: Raw{News: threshold}.Wrap,
			Learner: func() bandit.Learner { return protocoltest.Linear(2) },
		}
		n := protocoltest.New(t, s)
		rng := rand.New(rand.NewPCG(7, 9))
		var unsent, known [2]float64 // of peer 1, by action
		batches, sent := 0, 0
		for round := range 300 {
			if round%7 == 3 {
				n.Restart(t, 1, 0)
			}
			due := false
			n.Play(t, func(i int) (int, float64) {
				arm := rng.IntN(2)
				if i == 0 {
					return arm, 0
				}
				unsent[arm]++
				if m := unsent[0] + unsent[1]; round%2 == 1 {
					batches++
					due = m*(math.Log(1+unsent[0]/(1+known[0]))+math.Log(1+unsent[1]/(1+known[1]))) >= threshold
				}
				return arm, 0
			})
			seen := slices.ContainsFunc(n.Underway, func(d protocoltest.Parcel) bool {
				return d.From == 1 && d.Message.Label().Origin == 1 && d.Message.Body() > 0 && d.Message.Label().Seq == uint64(batches)
			})
			if seen != due {
				t.Fatalf("%+v, round %d: a message: %v, want %v", s.Params, round, seen, due)
			}
			if due {
				sent++
				x := n.Peers[1].Belief().X
				unsent, known = [2]float64{}, [2]float64{x[0], x[2]}
			}
		}
		if sent < 5 || sent > batches/2 || n.Peers[1].Leaves() != batches {
			t.Errorf("%+v: %d messages of %d batches: nothing is tested", s.Params, sent, batches)
		}
	}
}
