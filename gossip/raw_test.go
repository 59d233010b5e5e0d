package gossip

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	basichost "github.com/libp2p/go-libp2p/p2p/host/basic"
	"github.com/libp2p/go-libp2p/p2p/host/eventbus"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"

	"peerd.dev/gossip/wire"
	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

// unlimited returns a libp2p host without limits and without a gate.
func unlimited(t testing.TB, id Identity) host.Host {
	t.Helper()
	bus := eventbus.NewBus()
	net := require.Value(newSwarm(id, &network.NullResourceManager{}, nil, bus))(t)
	r := require.Value(basichost.NewHost(net, &basichost.HostOpts{EventBus: bus}))(t)
	r.Start()
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// raw connects a bare libp2p host to h.
func raw(t testing.TB, id Identity, h *Host) host.Host {
	t.Helper()
	r := unlimited(t, id)
	info := require.Value(peer.AddrInfoFromString(h.Addrs()[0]))(t)
	require.NoError(t, r.Connect(t.Context(), *info))
	return r
}

// dialSelf connects to h with h's own key.
func dialSelf(t testing.TB, id Identity, h *Host) {
	t.Helper()
	r := unlimited(t, id)
	// libp2p refuses to dial itself; others need not.
	addr := h.libp2p.Network().ListenAddresses()[0]
	c := require.Value(r.Network().(*swarm.Swarm).TransportForDialing(addr).Dial(t.Context(), addr, h.libp2p.ID()))(t)
	t.Cleanup(func() { c.Close() })
}

func stream(t testing.TB, r host.Host, h *Host) network.Stream {
	t.Helper()
	return require.Value(r.NewStream(t.Context(), h.libp2p.ID(), linkProtocol))(t)
}

// greeted opens a stream and exchanges hellos on it.
func greeted(t testing.TB, r host.Host, h *Host, as protocol.Peer) network.Stream {
	t.Helper()
	s := stream(t, r, h)
	mine := h.self
	mine.Self = as
	require.Value(s.Write(wire.Prefixed(mine.Encode())))(t)
	_ = s.SetReadDeadline(time.Now().Add(patience))
	theirs := require.Value(wire.ReadHello(bufio.NewReader(s)))(t)
	if theirs.Self != h.cfg.Self || theirs.Network != h.cfg.Network {
		t.Fatalf("hello %+v", theirs)
	}
	return s
}

func TestStrangerIsTurnedAway(t *testing.T) {
	var hosts []*Host
	var r host.Host
	soon(t, time.Second, func() time.Duration {
		hosts = start(t, configs(1, func(int) []protocol.Peer { return nil }))
		began := time.Now()
		r = raw(t, SeedIdentity([32]byte{99}), hosts[0]) // libp2p reports it as connected
		eventually(t, "turned away", func() bool {
			return len(r.Network().ConnsToPeer(hosts[0].libp2p.ID())) == 0
		})
		return time.Since(began)
	})
	if n := hosts[0].Totals().Strangers; n != 1 { // by its key, not by a timeout
		t.Errorf("%d strangers, want 1", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if s, err := r.NewStream(network.WithNoDial(ctx, "test"), hosts[0].libp2p.ID(), linkProtocol); err == nil {
		if n, err := s.Read(make([]byte, 1)); n > 0 {
			t.Errorf("a stranger read %d bytes (%v)", n, err)
		}
	}
}

func TestListedPeerThatIsNoNeighbourIsTurnedAway(t *testing.T) {
	cs := configs(3, path(3))
	hosts := start(t, cs[2:])
	r := raw(t, cs[0].Identity, hosts[0])
	s, err := r.NewStream(t.Context(), hosts[0].libp2p.ID(), linkProtocol)
	if err == nil { // else it was reset while the protocol was negotiated
		err = end(s)
	}
	if err == nil {
		t.Error("the stream was not reset")
	}
	eventually(t, "counted", func() bool { return status(hosts[0], 0).Refused == 1 })
}

// A neighbour that writes anything invalid loses its own stream, and no other peer loses
// anything.
func TestRuleBreakersLoseTheirStream(t *testing.T) {
	cs := configs(2, path(2))
	h := start(t, cs[1:])[0]
	r := raw(t, cs[0].Identity, h)
	good := func(from protocol.Peer) []byte { return protocol.Encode(nil, roundEnds(from, 1, 3)[0].Message) }
	refused := uint64(0)
	for _, test := range []struct {
		name  string
		bytes []byte
	}{
		{"a frame that is too long", []byte{0x81, 0x80, 0x04}},
		{"a length without end", []byte{0xff, 0xff, 0xff, 0xff, 0x01}},
		{"a length in a longer form", []byte{0x80, 0x00}},
		{"no message", wire.Prefixed([]byte("GET / HTTP/1.1"))},
		{"a message and one byte", wire.Prefixed(append(good(0), 0))},
		{"a message of an unknown kind", wire.Prefixed([]byte{0x0a, 0x05, 0x08, 0x80, 0x01, 0x12, 0x00})},
	} {
		s := greeted(t, r, h, 0)
		require.Value(s.Write(test.bytes))(t)
		var code *network.StreamError
		if err := end(s); !errors.As(err, &code) || code.ErrorCode != network.StreamProtocolViolation {
			t.Errorf("%s: stream ended with %v", test.name, err)
		}
		refused++
		if got := status(h, 0); got.Refused != refused || got.FramesIn != 0 {
			t.Errorf("%s: refused %d, taken in %d", test.name, got.Refused, got.FramesIn)
		}
	}
	s := greeted(t, r, h, 0)
	require.Value(s.Write(append(wire.Prefixed(nil), wire.Prefixed(good(0))...)))(t)
	if d := receive(t, h); d.From != 0 || d.Message.Round() != 3 {
		t.Errorf("%+v", d)
	}
}

func TestBadHello(t *testing.T) {
	cs := configs(2, path(2))
	h := start(t, cs[1:])[0]
	r := raw(t, cs[0].Identity, h)
	mine := h.self
	mine.Self = 0
	other := mine
	other.Self = 1
	newer := mine.Encode()
	newer[0]++
	for want, b := range map[string][]byte{
		"frame of 400 bytes":           wire.Prefixed(make([]byte, 400)),
		"hello of 0 bytes":             {0},
		"hello of 3 bytes":             wire.Prefixed(mine.Encode()[:3]),
		"its link version is 7":        wire.Prefixed(newer),
		"it says it is peer 1, its ke": wire.Prefixed(other.Encode()),
	} {
		s := stream(t, r, h)
		require.Value(s.Write(b))(t)
		_ = end(s)
		eventually(t, want, func() bool { return strings.Contains(status(h, 0).LastError, want) })
	}
	if s := status(h, 0); s.Refused != 5 || s.FramesIn != 0 {
		t.Errorf("%+v", s)
	}
}

func TestSilentStreamsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the 5 s that a hello may take")
	}
	t.Parallel()
	soon(t, helloTimeout+5*time.Second, func() time.Duration {
		began := time.Now()
		cs := configs(2, path(2))
		h := start(t, cs[1:])[0]
		r := raw(t, cs[0].Identity, h)
		var silent []network.Stream
		for range 10 {
			s := stream(t, r, h)
			_, _ = s.Write([]byte{50}) // a frame that never comes; a stream that is not accepted is reset
			silent = append(silent, s)
		}
		open := 0
		for _, s := range silent {
			var code *network.StreamError
			if err := end(s); errors.As(err, &code) && code.ErrorCode == network.StreamProtocolViolation {
				open++
			} else if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("a silent stream ends with %v", err)
			}
		}
		if open != 4 {
			t.Errorf("%d of 10 streams were let in, want 4", open)
		}
		eventually(t, "ended and counted", func() bool { return status(h, 0).Refused == 4 })
		return time.Since(began)
	})
}

func TestNewestStreamWins(t *testing.T) {
	cs := configs(2, path(2))
	h := start(t, cs[1:])[0]
	r := raw(t, cs[0].Identity, h)
	old := greeted(t, r, h, 0)
	eventually(t, "taken in", func() bool { // it sends its hello before it accepts a stream
		l := h.neighbours[0]
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.in != nil
	})
	young := greeted(t, r, h, 0)
	var code *network.StreamError
	if err := end(old); !errors.As(err, &code) || code.ErrorCode != network.StreamSupplanted {
		t.Errorf("the older stream ended with %v", err)
	}
	require.Value(young.Write(wire.Prefixed(protocol.Encode(nil, roundEnds(0, 1, 8)[0].Message))))(t)
	if d := receive(t, h); d.Message.Round() != 8 {
		t.Errorf("%+v", d)
	}
	// A new connection replaces one that this end still takes for alive.
	again := raw(t, cs[0].Identity, h)
	greeted(t, again, h, 0)
	eventually(t, "one connection", func() bool {
		c, in, _ := linkStreams(h, 0)
		return c == 1 && in == 1
	})
}
