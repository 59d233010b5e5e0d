package table_test

import (
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// TestWhoWasRemovedIsInNoEstimate: after a change of the network by which a peer has no links any more, no estimate of rows,
// phases, batch and local contains what it has released.
func TestWhoWasRemovedIsInNoEstimate(t *testing.T) {
	for _, p := range papers.All() {
		switch p.(type) {
		case running.Params, rows.PhasesParams, batches.BatchParams:
		default:
			continue
		}
		t.Run(p.Words().Name, func(t *testing.T) {
			s := protocoltest.Setting{Params: protocol.Small(p, 2), Graph: protocoltest.Complete(3), Arms: 2, Rounds: 1000, Mechanism: dp.None}
			if protocol.TraitsOf(p).Wide {
				s.Learner = func() bandit.Learner { return protocoltest.Linear(2) }
			}
			n := protocoltest.New(t, s)
			for round := range 60 {
				n.Play(t, func(int) (int, float64) { return round % 2, .5 })
			}
			from := func(p protocol.Protocol) (seen [3]bool) {
				for _, sites := range p.Belief().Sites {
					for _, site := range sites {
						seen[site.Peer] = true
					}
				}
				return seen
			}
			if got := from(n.Peers[0].Protocol); got != [3]bool{true, true, true} {
				t.Fatalf("before: %v", got)
			}
			saved, err := n.Peers[0].Protocol.Save()
			if err != nil {
				t.Fatal(err)
			}
			s.Graph = protocoltest.Graph{{1}, {0}, nil}
			changed := s.Peer(t, 0, 0)
			if err = changed.Protocol.Load(saved); err != nil {
				t.Fatal(err)
			}
			if got := from(changed.Protocol); got != [3]bool{true, true, false} {
				t.Errorf("after: %v", got)
			}
		})
	}
}
