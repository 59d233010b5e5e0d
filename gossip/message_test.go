package gossip

import (
	"io"
	"log/slog"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

// An echo sends a message of a known length and returns when one of that length has
// come back.
type echo func() error

// BenchmarkMessageBesideABareStream measures round trips of a message of 1 kB between two neighbours
// in one process: through two hosts, from Send to Inbox; through a bare libp2p stream over Noise
// and yamux; and through bare TCP. The hosts decode every message; it was encoded before, like a
// message from a site's outbox. They take turns of 1,000, so that all run under the same
// conditions. The bare stream has two medians, 4 µs apart, and keeps one of them for all or most
// of a run; in turns of 100, right after the hosts', it is always the lower one. An operation is
// one round trip of each; times is the median through the hosts as a multiple of the bare
// stream's.
func BenchmarkMessageBesideABareStream(b *testing.B) {
	there := row(b, 0, 1, 205)
	size := len(there.Message.Frame())
	echoes := []struct {
		name string
		run  echo
		took []time.Duration
	}{
		{name: "peerd", run: hostEcho(b, there, row(b, 1, 0, 205))},
		{name: "stream", run: streamEcho(b, size)},
		{name: "tcp", run: tcpEcho(b, size)},
	}
	const turn = 1000
	run := func(n int) {
		for i := range echoes {
			e := &echoes[i]
			for range n {
				began := time.Now()
				require.NoError(b, e.run())
				e.took = append(e.took, time.Since(began))
			}
		}
	}
	run(turn) // windows open, buffers grow
	for i := range echoes {
		echoes[i].took = echoes[i].took[:0]
	}
	b.ResetTimer()
	for left := b.N; left > 0; left -= turn {
		run(min(left, turn))
	}
	b.StopTimer()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(size), "bytes")
	for i := range echoes {
		slices.Sort(echoes[i].took)
		b.ReportMetric(micros(quantile(echoes[i].took, 0.50)), "us-p50-"+echoes[i].name)
		b.ReportMetric(micros(quantile(echoes[i].took, 0.99)), "us-p99-"+echoes[i].name)
	}
	b.ReportMetric(float64(quantile(echoes[0].took, 0.5))/float64(quantile(echoes[1].took, 0.5)), "times")
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// quantile returns the value below which a part q of sorted values lies.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// hostEcho exchanges messages between two hosts as daemons do.
func hostEcho(b *testing.B, there, back protocol.Envelope) echo {
	b.Helper()
	hosts := start(b, configs(2, path(2)))
	ready(b, hosts...)
	go func() {
		for {
			select {
			case <-hosts[1].Inbox():
				if hosts[1].Send(b.Context(), []protocol.Envelope{back}) != nil {
					return
				}
			case <-hosts[1].Done():
				return
			}
		}
	}()
	return func() error {
		if err := hosts[0].Send(b.Context(), []protocol.Envelope{there}); err != nil {
			return err
		}
		select {
		case <-hosts[0].Inbox():
			return nil
		case <-hosts[0].Done():
			return hosts[0].Err()
		}
	}
}

// streamEcho exchanges bytes over one stream between two libp2p hosts that are configured like a
// Host's own.
func streamEcho(b *testing.B, size int) echo {
	b.Helper()
	hosts := make([]host.Host, 2)
	for i, c := range configs(2, func(int) []protocol.Peer { return nil }) {
		r, err := c.check()
		if err != nil {
			b.Fatal(err)
		}
		hosts[i] = require.Value(newLibp2p(c, newGate(c.Identity.id, r.peers, nil, slog.New(slog.DiscardHandler))))(b)
		b.Cleanup(func() { _ = hosts[i].Close() })
		require.NoError(b, hosts[i].Network().Listen(r.listen...))
	}
	const bare = "/bare/1"
	hosts[1].SetStreamHandler(bare, func(s network.Stream) { bounce(s, size) })
	require.NoError(b, hosts[0].Connect(b.Context(), peer.AddrInfo{ID: hosts[1].ID(), Addrs: hosts[1].Addrs()}))
	s := require.Value(hosts[0].NewStream(b.Context(), hosts[1].ID(), bare))(b)
	return exchange(s, size)
}

// tcpEcho exchanges bytes over a TCP connection.
func tcpEcho(b *testing.B, size int) echo {
	b.Helper()
	l := require.Value(net.Listen("tcp", "127.0.0.1:0"))(b)
	b.Cleanup(func() { _ = l.Close() })
	go func() {
		if c, refused := l.Accept(); refused == nil {
			defer c.Close()
			bounce(c, size)
		}
	}()
	c := require.Value(net.Dial("tcp", l.Addr().String()))(b)
	b.Cleanup(func() { _ = c.Close() })
	return exchange(c, size)
}

// bounce sends back what it reads.
func bounce(s io.ReadWriter, size int) {
	for buf := make([]byte, size); ; {
		if _, err := io.ReadFull(s, buf); err != nil {
			return
		}
		if _, err := s.Write(buf); err != nil {
			return
		}
	}
}

func exchange(s io.ReadWriter, size int) echo {
	buf := make([]byte, size)
	return func() error {
		if _, err := s.Write(buf); err != nil {
			return err
		}
		_, err := io.ReadFull(s, buf)
		return err
	}
}
