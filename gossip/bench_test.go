package gossip

import (
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// row returns an envelope with a row of a number of arms: some 370 bytes for 64.
func row(b testing.TB, from, to protocol.Peer, arms int) protocol.Envelope {
	b.Helper()
	curator, err := dp.NewCurator(dp.Lockstep, vouch.For(account.Unlimited), dp.NewSeededSource([32]byte{1}))
	if err != nil {
		b.Fatal(err)
	}
	_, err = curator.Open(dp.Spec{
		What: "test", Streams: arms, Dim: 1, Hi: 1, Leaves: 1, RecordsPerUser: 1, Mechanism: dp.Tree, Epsilon: 1e9,
	})
	if err != nil {
		b.Fatal(err)
	}
	p := running.Params{Every: 1, Pull: 1000, Merge: rows.MergeMean, F: 1}
	graph := make([][]protocol.Peer, 1+max(from, to))
	graph[from], graph[to] = []protocol.Peer{to}, []protocol.Peer{from}
	rows, err := protocol.New(p, protocol.Config{
		Self: from, Graph: graph, Parts: arms, Width: 1, Keys: vouch.For[protocol.Keys](keys(b, "test", identities(2), int(from))),
	})
	if err != nil {
		b.Fatal(err)
	}
	var own []protocol.Own
	for k := range arms {
		leaf, err := curator.Leaf(dp.StreamID(k), 1)
		if err != nil {
			b.Fatal(err)
		}
		own = append(own, protocol.Own{Stream: dp.StreamID(k), Number: 1, Leaf: leaf})
	}
	var out protocol.Outbox
	if err := rows.Released(own, &out); err != nil {
		b.Fatal(err)
	}
	return out.Envelopes()[0]
}
