package sim_test

import (
	"testing"

	"peerd.dev/internal/protocoltest"
	"peerd.dev/node"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
	"peerd.dev/protocol/epochs"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// TestLinksAreCountedByRound: an observation of each of four peers crosses each of the six links
// between them in the same round, once per epoch; links of an idle peer are counted separately.
func TestLinksAreCountedByRound(t *testing.T) {
	c := signed(config(3, [][]protocol.Peer{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}, 200, []float64{.8, .5}))
	e, err := protocoltest.Lookup(papers.All(), epochs.GISParams{}.Words().Name)
	if err != nil {
		t.Fatal(err)
	}
	speak(&c, e)
	c.Bytes = true
	epochs := uint64(0)
	c.Watch = func(_ protocol.Round, agents []*node.Agent) { epochs = agents[0].Belief().Epoch }
	res, err := sim.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	if epochs < 2 || res.Links < 6*epochs || res.Links > 6*epochs+6 || res.HubLinks != 0 {
		t.Errorf("%d links and %d of idle peers in %d epochs, want 6 an epoch", res.Links, res.HubLinks, epochs)
	}
	c = signed(config(3, [][]protocol.Peer{{1, 2}, {0}, {0}}, 200, []float64{.8, .5}))
	c.Spec.Protocol = running.Params{Every: 20, Pull: 20, Merge: rows.MergeMean, Relays: 1, F: 1}
	c.Bytes = true
	if res, err = sim.Run(c); err != nil {
		t.Fatal(err)
	}
	// Ten rows of each site go to the relay, and to the other site in the next round.
	if res.Links != 0 || res.HubLinks < 20 || res.HubLinks > 60 {
		t.Errorf("%d links and %d of idle peers, want the latter alone", res.Links, res.HubLinks)
	}
}
