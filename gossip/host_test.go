package gossip

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/gossip/address"
	"peerd.dev/gossip/wire"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

func TestRingDeliversInOrderBothWays(t *testing.T) {
	const n, rounds = 5, 200
	cs := configs(n, ring(n))
	var mu sync.Mutex
	tapped := map[protocol.Peer]int{}
	cs[2].Tap = func(to protocol.Peer, frame []byte) {
		mu.Lock()
		defer mu.Unlock()
		m, err := protocol.Decode(vouch.For(frame))
		if err != nil || int(m.Round()) != tapped[to] {
			t.Errorf("tap to peer %d: round %d, want %d (%v)", to, m.Round(), tapped[to], err)
		}
		tapped[to]++
	}
	hosts := start(t, cs)
	ready(t, hosts...)
	for i, h := range hosts {
		for _, to := range cs[i].Neighbours {
			send(t, h, roundEnds(protocol.Peer(i), to, span(0, rounds)...))
		}
	}
	for i, h := range hosts {
		next := map[protocol.Peer]protocol.Round{}
		for range 2 * rounds {
			d := receive(t, h)
			if d.Message.Round() != next[d.From] || d.Message.Label().Origin != d.From {
				t.Fatalf("peer %d: round %d of %d from peer %d, want round %d", i, d.Message.Round(), d.Message.Label().Origin, d.From, next[d.From])
			}
			next[d.From]++
		}
	}
	for i, h := range hosts {
		for _, s := range h.Status() {
			if !s.Neighbour {
				if s.State != None {
					t.Errorf("peer %d: state %q of peer %d, who is no neighbour", i, s.State, s.Peer)
				}
				continue
			}
			there := status(hosts[s.Peer], protocol.Peer(i))
			if s.State != Up || s.LastError != "" || s.FramesIn != rounds || s.FramesOut != rounds ||
				s.BytesIn != there.BytesOut || s.BytesOut < 3*rounds || s.Dropped != 0 || s.Refused != 0 || s.RTT <= 0 || s.Incarnation != 1 || s.Dialled != (i > int(s.Peer)) {
				t.Errorf("peer %d: %+v", i, s)
			}
			if c, in, out := linkStreams(h, s.Peer); c != 1 || in != 1 || out != 1 {
				t.Errorf("peer %d and %d: %d connections, %d streams in, %d out", i, s.Peer, c, in, out)
			}
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if tapped[1] != rounds || tapped[3] != rounds {
		t.Errorf("tapped %v", tapped)
	}
}

func TestMismatchIsNamed(t *testing.T) {
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Policy[0]++ }, "its policy hash is"},
		{func(c *Config) { c.Network = "other" }, "its network is"},
		{func(c *Config) { c.Policy[0]++; c.Terms[1].Value = "8" }, "its depth is "},
	} {
		cs := configs(2, ring(2))
		for i := range cs {
			cs[i].Neighbours = path(2)(i)
			cs[i].Terms = []wire.Term{{Key: "arms", Value: "[a, b]"}, {Key: "depth", Value: "7"}}
		}
		test.change(&cs[1])
		hosts := start(t, cs)
		for i, h := range hosts {
			var s PeerStatus
			eventually(t, test.want, func() bool {
				s = status(h, protocol.Peer(1-i))
				return strings.Contains(s.LastError, test.want)
			})
			if s.State != Refused || s.Refused == 0 {
				t.Errorf("peer %d: %+v", i, s)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			err := h.Ready(ctx)
			cancel()
			if err == nil || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("peer %d: ready: %v", i, err)
			}
		}
	}
}

func TestRestartedPeerIsLinkedAgain(t *testing.T) {
	cs := configs(3, path(3))
	listenAgain(t, &cs[1])
	hosts := start(t, cs)
	ready(t, hosts...)
	cs[1].Incarnation = 2

	if err := hosts[1].libp2p.Close(); err != nil { // as a kill would: no goodbye
		t.Fatal(err)
	}
	shut(t, hosts[1])
	for _, i := range []int{0, 2} {
		eventually(t, "link down", func() bool { return status(hosts[i], 1).State == Down })
	}
	send(t, hosts[0], roundEnds(0, 1, 0)) // waits for the peer to come back

	began := time.Now()
	h := require.Value(NewHost(cs[1]))(t)
	defer h.Close()
	ready(t, h, hosts[0], hosts[2])
	t.Logf("links up %v after the restart began", time.Since(began).Round(time.Millisecond))
	if d := receive(t, h); d.From != 0 {
		t.Errorf("first message from peer %d", d.From)
	}
	for _, i := range []int{0, 2} {
		if s := status(hosts[i], 1); s.Incarnation != 2 || s.LastError == "" {
			t.Errorf("peer %d: %+v", i, s)
		}
		eventually(t, "one connection, one stream each way", func() bool {
			c, in, out := linkStreams(hosts[i], 1)
			return c == 1 && in == 1 && out == 1
		})
	}
}

func TestFullQueueDropsTheOldest(t *testing.T) {
	const n = queueSize + 44
	cs := configs(2, path(2))
	hosts := make([]*Host, 2)
	h, err := NewHost(cs[1]) // waits to be dialled
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	hosts[1] = h
	send(t, h, roundEnds(1, 0, span(0, n)...))
	if s := status(h, 0); s.Dropped != 44 || s.Queued != queueSize {
		t.Errorf("dropped %d, queued %d", s.Dropped, s.Queued)
	}
	cs[0].Peers[1].Addrs = h.Addrs()
	h0 := require.Value(NewHost(cs[0]))(t)
	defer h0.Close()
	for i := range queueSize {
		if d := receive(t, h0); int(d.Message.Round()) != 44+i {
			t.Fatalf("round %d, want %d", d.Message.Round(), 44+i)
		}
	}
}

func TestUndeliverableIsCounted(t *testing.T) {
	hosts := start(t, configs(3, path(3)))
	send(t, hosts[0], roundEnds(0, 2, 0))
	send(t, hosts[0], roundEnds(0, 99, 0))
	send(t, hosts[0], roundEnds(0, protocol.Everyone, 0))
	if n := hosts[0].Totals().Undeliverable; n != 3 {
		t.Errorf("%d undeliverable, want 3", n)
	}
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	soon(t, closeTimeout, func() (longest time.Duration) {
		cs := configs(3, ring(3))
		for i := range cs {
			cs[i].Topic, cs[i].Checkpoints, cs[i].Checkpoint = true, true, checkpointOf(uint64(i))
		}
		hosts := start(t, cs)
		ready(t, hosts...)
		for _, h := range hosts {
			longest = max(longest, shut(t, h))
			shut(t, h)
			if err := h.Send(t.Context(), roundEnds(0, 1, 0)); !errors.Is(err, ErrClosed) || !errors.Is(h.Err(), ErrClosed) {
				t.Errorf("send after close: %v", err)
			}
		}
		return longest
	})
	eventually(t, "no more goroutines than before", func() bool { return runtime.NumGoroutine() <= before })
}

// A host whose neighbours do not answer closes in time too.
func TestCloseWithoutNeighbours(t *testing.T) {
	before := runtime.NumGoroutine()
	soon(t, closeTimeout, func() time.Duration {
		cs := configs(2, path(2))
		cs[0].Peers[1].Addrs = []string{"/ip4/127.0.0.1/tcp/1"}
		h := require.Value(NewHost(cs[0]))(t)
		eventually(t, "an attempt", func() bool { return status(h, 1).LastError != "" })
		return shut(t, h)
	})
	eventually(t, "no more goroutines than before", func() bool { return runtime.NumGoroutine() <= before })
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"network id of 0 bytes":     func(c *Config) { c.Network = "" },
		"want letters":              func(c *Config) { c.Network = "a/b" },
		"does not go with lossless": func(c *Config) { c.Lossless, c.Topic = true, true },
		"no address to listen":      func(c *Config) { c.Listen = nil },
		"listen address":            func(c *Config) { c.Listen = []string{"localhost:1"} },
		"this is peer 9 of 3":       func(c *Config) { c.Self = 9 },
		"checkpoints of 2 peers":    func(c *Config) { c.Known = make([]protocol.SignedCheckpoint, 2) },
		"but peer 1 is":             func(c *Config) { c.Self = 1 },
		"neighbour 3 of 3":          func(c *Config) { c.Neighbours = []protocol.Peer{3} },
		"its own neighbour":         func(c *Config) { c.Neighbours = []protocol.Peer{0} },
		"named twice":               func(c *Config) { c.Neighbours = []protocol.Peer{2, 2} },
		"peer 1: id":                func(c *Config) { c.Peers[1].ID = "x" },
		"have the same id":          func(c *Config) { c.Peers[1] = c.Peers[0] },
	} {
		c := configs(3, path(3))[0]
		c.Peers[2].Addrs = []string{"/ip4/127.0.0.1/tcp/1"}
		c.Neighbours = []protocol.Peer{2}
		change(&c)
		if h, err := NewHost(c); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "gossip: ") {
			t.Errorf("%v, want %q", err, want)
			if h != nil {
				h.Close()
			}
		}
	}
}

// TestTheEndWithoutAnAddressDials, whatever its index, and the other end knows that it was dialled. If neither has an address, both wait.
func TestTheEndWithoutAnAddressDials(t *testing.T) {
	cs := configs(3, func(i int) []protocol.Peer { return [][]protocol.Peer{{1}, {0, 2}, {1}}[i] })
	var hosts []*Host
	for i := range cs {
		h := require.Value(NewHost(cs[i]))(t)
		t.Cleanup(func() { shut(t, h) })
		if hosts = append(hosts, h); i == 0 {
			cs[0].Peers[0].Addrs = h.Addrs()
		}
	}
	eventually(t, "a link", func() bool { return status(hosts[0], 1).State == Up && status(hosts[1], 0).State == Up })
	if a, b := status(hosts[0], 1), status(hosts[1], 0); !a.Dialled || b.Dialled {
		t.Errorf("%+v and %+v", a, b)
	}
	if x, y := status(hosts[1], 2), status(hosts[2], 1); x.LastError != errUndialled.Error() || y.State != Down {
		t.Errorf("%+v and %+v", x, y)
	}
}

// TestAnUnusableAddressIsANotice: whatever a network says of where another peer is, a host opens, and its log names what
// it leaves out.
func TestAnUnusableAddressIsANotice(t *testing.T) {
	c := configs(3, path(3))[0]
	good := "/ip4/127.0.0.1/tcp/1"
	c.Peers[1].Addrs = []string{
		good + "/p2p/" + c.Peers[2].ID, "/p2p/" + c.Peers[1].ID, "nowhere", "/dns4/" + strings.Repeat("a", address.MaxLen) + "/tcp/1", good,
	}
	c.Peers[2].Addrs = []string{good + "/p2p/" + c.Peers[1].ID} // all of a neighbour's
	c.Neighbours = []protocol.Peer{1, 2}
	var log bytes.Buffer
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	h := require.Value(NewHost(c))(t)
	defer h.Close()
	for _, want := range []string{"is another peer's", "has no transport address", "nowhere", "want at most 256", "peer 2: "} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, log.String())
		}
	}
	if got := h.libp2p.Peerstore().Addrs(h.members[1].id); len(got) != 1 || got[0].String() != good {
		t.Errorf("peer 1 is dialled at %v, want %s", got, good)
	}
	if err := c.Peers[1].Check(); err == nil {
		t.Error("a network can have such a peer")
	}
	if err := (PeerInfo{ID: c.Peers[1].ID, Addrs: slices.Repeat([]string{good}, MaxAddrs+1)}).Check(); err == nil || !strings.Contains(err.Error(), "want at most 16") {
		t.Error(err)
	}
	if PlainID(c.Peers[1].ID) != PlainID(peer.ToCid(h.members[1].id).String()) || PlainID(c.Peers[1].ID) == PlainID(c.Peers[2].ID) || PlainID("x") != "x" {
		t.Error("ids are not compared as keys")
	}
}

func TestTwoHostsDoNotShareAPort(t *testing.T) {
	hosts := start(t, configs(2, path(2)))
	c := hosts[0].cfg
	c.Listen = []string{strings.Split(hosts[0].Addrs()[0], "/p2p/")[0]}
	if h, err := NewHost(c); err == nil {
		h.Close()
		t.Error("a second host listens on the same port")
	} else if !strings.Contains(err.Error(), "address already in use") {
		t.Error(err)
	}
}
