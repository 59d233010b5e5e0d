package gossip

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

// between makes all connections to a host pass a proxy, which counts the bytes in both directions, and returns the addresses that others dial.
func between(t *testing.T, addrs []string) (dialled []string, bytes *atomic.Int64) {
	t.Helper()
	a := require.Value(ma.NewMultiaddr(strings.Split(addrs[0], "/p2p/")[0]))(t)
	_, to, err := manet.DialArgs(a)
	if err != nil {
		t.Fatal(err)
	}
	l := require.Value(net.Listen("tcp4", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = l.Close() })
	bytes = new(atomic.Int64)
	count := func(to, from net.Conn) {
		_, _ = io.Copy(io.MultiWriter(to, counter{bytes}), from)
		_ = to.Close()
	}
	go func() {
		for {
			in, wrong := l.Accept()
			if wrong != nil {
				return
			}
			out, wrong := net.Dial("tcp4", to)
			if wrong != nil {
				_ = in.Close()
				continue
			}
			go count(out, in)
			go count(in, out)
		}
	}()
	at := require.Value(manet.FromNetAddr(l.Addr()))(t)
	return []string{at.String()}, bytes
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return len(b), nil
}

// settled is a network document that does not change.
type settled struct{}

func (settled) Summary() ([]byte, error)       { return make([]byte, 10_000), nil }
func (settled) Lacks([]byte) ([][]byte, error) { return nil, nil }
func (settled) Merge([][]byte) error           { return nil }

// TestAPeerAtRestSendsLittle: with what an announcement takes on a link and what an exchange between two peers without a connection
// takes, counted on real connections in a network of 1,000, and with the times between them, a peer with four links sends less than
// 1,000 bytes a second in networks of up to 1,000 peers.
func TestAPeerAtRestSendsLittle(t *testing.T) {
	const places, links, keepalives = 1000, 4, 150 // B/s, of links and up to 64 other connections
	all := topical(configs(places, func(i int) []protocol.Peer {
		switch i {
		case 0:
			return []protocol.Peer{1}
		case 1:
			return []protocol.Peer{0}
		}
		return nil
	}))
	cs, _ := checkpointed(all[:3])
	for i := range cs {
		cs[i].Checkpoint, cs[i].Document = checkpointOf(20), settled{}
		for p := range all {
			cs[i].Known = append(cs[i].Known, signedBy(&all[p], checkpointOf(20)))
		}
	}
	var exchanged, linked *atomic.Int64
	far := begin(t, cs[2])
	cs[0].Peers[2].Addrs, exchanged = between(t, far.Addrs())
	near := begin(t, cs[1])
	cs[0].Peers[1].Addrs, linked = between(t, near.Addrs())
	h := begin(t, cs[0])
	ready(t, h, near)
	subscribed(t, []*Host{h, near})

	require.NoError(t, errors.Join(h.TradeDocument(t.Context(), 2), h.TradeMemories(t.Context(), 2), h.CompareClock(t.Context(), 2)))
	time.Sleep(time.Second) // libp2p identifies new connections
	exchange := float64(exchanged.Load())

	const announcements = 50
	frame := []byte(protocol.Presence(0, 1).Frame())
	before := linked.Load()
	for range announcements {
		seen := near.Totals().TopicIn
		require.NoError(t, h.topic.publish(t.Context(), frame))
		eventually(t, "an announcement", func() bool { return near.Totals().TopicIn > seen })
	}
	announcement := float64(linked.Load()-before) / announcements
	t.Logf("%.0f bytes a connection with an exchange, %.0f bytes an announcement on a link", exchange, announcement)
	for _, n := range []int{2, 5, 30, 100, 300, places} {
		presence := announcement * float64(n) * (links - 1) / (.75 * presenceEvery(n).Seconds())
		trades := exchange / TradeEvery(n).Seconds()
		t.Logf("%4d sites: %3.0f B/s of announcements, %3.0f of exchanges", n, presence, trades)
		if sum := presence + trades + keepalives; sum > 1000 {
			t.Errorf("%d sites: %.0f B/s", n, sum)
		}
	}
}
