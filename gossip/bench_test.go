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

// payloads are the shortest message there is and a usual one.
func payloads(b testing.TB, from, to protocol.Peer) map[string]protocol.Envelope {
	return map[string]protocol.Envelope{"roundEnd": roundEnds(from, to, 1<<20)[0], "row": row(b, from, to, 64)}
}

// BenchmarkOneWay sends frames from one host to another in one process; an
// operation is one frame, encoded, sent, received and decoded.
func BenchmarkOneWay(b *testing.B) {
	for name, e := range payloads(b, 0, 1) {
		b.Run(name, func(b *testing.B) {
			hosts := start(b, lossless(configs(2, path(2))))
			ready(b, hosts...)
			const batch = 16
			var es []protocol.Envelope
			for range batch {
				es = append(es, e)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				for range (b.N + batch - 1) / batch * batch {
					<-hosts[1].Inbox()
				}
			}()
			b.SetBytes(int64(len(e.Message.Frame())))
			b.ReportAllocs()
			b.ResetTimer()
			for sent := 0; sent < b.N; sent += batch {
				if err := hosts[0].Send(b.Context(), es); err != nil {
					b.Fatal(err)
				}
			}
			<-done
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}

// BenchmarkRoundTrip sends a frame there and one back, as daemons do it.
func BenchmarkRoundTrip(b *testing.B) {
	back := payloads(b, 1, 0)
	for name, e := range payloads(b, 0, 1) {
		b.Run(name, func(b *testing.B) {
			hosts := start(b, configs(2, path(2)))
			ready(b, hosts...)
			there, back := []protocol.Envelope{e}, []protocol.Envelope{back[name]}
			go func() {
				for range hosts[1].Inbox() {
					if hosts[1].Send(b.Context(), back) != nil {
						return
					}
				}
			}()
			b.ReportAllocs()
			for b.Loop() {
				if err := hosts[0].Send(b.Context(), there); err != nil {
					b.Fatal(err)
				}
				<-hosts[0].Inbox()
			}
		})
	}
}

// BenchmarkSend measures the cost of Send to eight neighbours without the network.
func BenchmarkSend(b *testing.B) {
	h := start(b, configs(9, func(int) []protocol.Peer { return span8() })[8:])[0] // alone: the oldest frames are dropped
	for name, e := range payloads(b, 1, 0) {
		b.Run(name, func(b *testing.B) {
			var es []protocol.Envelope
			for _, e.To = range span8() {
				es = append(es, e)
			}
			for b.ReportAllocs(); b.Loop(); {
				if err := h.Send(b.Context(), es); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func span8() []protocol.Peer { return []protocol.Peer{0, 1, 2, 3, 4, 5, 6, 7} }
