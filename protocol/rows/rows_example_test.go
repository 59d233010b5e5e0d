package rows_test

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
)

// Two peers of protocol rows. The driver closes the leaf and carries the messages.
func ExampleProtocol() {
	entry, _ := protocol.Lookup(papers.All(), "rows")
	streams := dp.Spec{
		What: "rewards", Streams: 1, Dim: 1, Lo: 0, Hi: 1, Leaves: 8, RecordsPerUser: 1, Mechanism: dp.None, Epsilon: dp.Nano,
	}
	charge, _ := streams.Charge()
	peer := func(self protocol.Peer) protocol.Protocol {
		p, _ := protocol.New(protocol.Small(entry, 2), protocol.Config{
			Self: self, Graph: [][]protocol.Peer{{1}, {0}}, Parts: 1, Width: 1, Charge: charge,
			Keys: vouch.For[protocol.Keys](protocoltest.Keys(self)), Rand: rand.New(rand.NewPCG(1, uint64(self))),
		})
		return p
	}
	a, b := peer(0), peer(1)

	curator, _ := dp.NewCurator(dp.Lockstep, vouch.For(account.Unlimited), dp.NewSeededSource([32]byte{}))
	stream, _ := curator.Open(streams)
	_ = curator.Add(stream, []float64{0.75})
	leaf, _ := curator.Leaf(stream, 1)

	var out, answers protocol.Outbox
	a.Chosen(0)
	_ = a.Released([]protocol.Own{{Stream: stream, Number: 1, Leaf: leaf}}, &out)
	_ = a.Tick(0, &out)
	for _, e := range out.Envelopes() {
		fmt.Printf("to peer %d: kind %d, %d release\n", e.To, e.Message.Kind(), e.Message.Body())
		_ = b.Receive(0, e.Message, &answers)
	}
	fmt.Println("peer 1 believes", b.Belief().X, "and pulled", b.Belief().Pulls)
	// Output:
	// to peer 1: kind 32, 1 release
	// peer 1 believes [0.75] and pulled [0]
}
