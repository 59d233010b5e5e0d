package gossip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

const patience = 20 * time.Second // of a test whose machine is busy

// identities returns n identities, the same in every run.
func identities(n int) []Identity {
	ids := make([]Identity, n)
	for i := range ids {
		ids[i] = SeedIdentity([32]byte{byte(i), byte(i >> 8), 1})
	}
	return ids
}

func ring(n int) func(i int) []protocol.Peer {
	return func(i int) []protocol.Peer {
		return []protocol.Peer{protocol.Peer((i + n - 1) % n), protocol.Peer((i + 1) % n)}
	}
}

func path(n int) func(i int) []protocol.Peer {
	return func(i int) (ns []protocol.Peer) {
		if i > 0 {
			ns = append(ns, protocol.Peer(i-1))
		}
		if i < n-1 {
			ns = append(ns, protocol.Peer(i+1))
		}
		return ns
	}
}

// listenAgain makes a host listen at a port of its own, which it can take again after it was
// closed. For port 0, systems pick ports above 32767, so no other process gets this one in
// between.
func listenAgain(t testing.TB, c *Config) {
	t.Helper()
	for range 100 {
		at := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000))
		if l, err := net.Listen("tcp4", at); err == nil {
			_ = l.Close()
			c.Listen = []string{strings.Replace("/ip4/"+at, ":", "/tcp/", 1)}
			return
		}
	}
	t.Fatal("no port is free")
}

// configs returns the configurations of a network on free ports. The addresses
// are not known yet.
func configs(n int, neighbours func(int) []protocol.Peer) []Config {
	ids := identities(n)
	peers := make([]PeerInfo, n)
	for i, id := range ids {
		peers[i].ID = id.ID()
	}
	cs := make([]Config, n)
	for i := range cs {
		cs[i] = Config{
			Identity: ids[i], Listen: []string{"/ip4/127.0.0.1/tcp/0"},
			Self: protocol.Peer(i), Incarnation: 1, Peers: peers,
			Neighbours: neighbours(i), Network: "test", Policy: [32]byte{7},
		}
	}
	return cs
}

// start starts hosts from the highest index down, so that the dialling end knows the
// address. The peer table is shared by all configurations.
func start(t testing.TB, cs []Config) []*Host {
	t.Helper()
	hosts := make([]*Host, len(cs))
	for i := range slices.Backward(cs) {
		h := require.Value(NewHost(cs[i]))(t)
		t.Cleanup(func() { shut(t, h) })
		cs[i].Peers[cs[i].Self].Addrs = h.Addrs()
		hosts[i] = h
	}
	return hosts
}

// soon fails unless one of five tries takes no longer than a limit. A busy machine delays some of
// them, a bug all.
func soon(t testing.TB, limit time.Duration, try func() time.Duration) {
	t.Helper()
	var took time.Duration
	for range 5 {
		if took = try(); took <= limit {
			return
		}
	}
	t.Errorf("took %v five times, want at most %v once", took, limit)
}

// shut closes a host and returns how long that took. On a busy machine it may take longer than
// Close waits; TestCloseLeavesNoGoroutine shows that it does not on others, and that nothing
// remains.
func shut(t testing.TB, h *Host) time.Duration {
	t.Helper()
	began := time.Now()
	if err := h.Close(); err != nil && !errors.Is(err, errBusy) {
		t.Error(err)
	}
	return time.Since(began)
}

func ready(t testing.TB, hosts ...*Host) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, h := range hosts {
		require.NoError(t, h.Ready(ctx))
	}
}

// roundEnds returns round ends of the given rounds to one peer.
func roundEnds(from, to protocol.Peer, rounds ...protocol.Round) []protocol.Envelope {
	var all []protocol.Envelope
	for _, t := range rounds {
		var out protocol.Outbox
		out.EndRound(from, t, []protocol.Peer{to})
		all = append(all, out.Envelopes()...)
	}
	return all
}

func span(from, to protocol.Round) (all []protocol.Round) {
	for t := from; t < to; t++ {
		all = append(all, t)
	}
	return all
}

func send(t testing.TB, h *Host, es []protocol.Envelope) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, h.Send(ctx, es))
}

func receive(t testing.TB, h *Host) protocol.Delivery {
	t.Helper()
	select {
	case d := <-h.Inbox():
		return d
	case <-time.After(patience):
		t.Fatalf("peer %d: nothing arrives", h.cfg.Self)
		panic("unreachable")
	}
}

// eventually waits until f holds.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func status(h *Host, p protocol.Peer) PeerStatus {
	for _, s := range h.Status() {
		if s.Peer == p {
			return s
		}
	}
	return PeerStatus{}
}

// linkStreams counts connections and link streams between a host and a peer.
func linkStreams(h *Host, p protocol.Peer) (conns, in, out int) {
	for _, c := range h.libp2p.Network().ConnsToPeer(h.members[p].id) {
		conns++
		for _, s := range c.GetStreams() {
			if s.Protocol() != linkProtocol {
				continue
			}
			if s.Stat().Direction == network.DirInbound {
				in++
			} else {
				out++
			}
		}
	}
	return conns, in, out
}

// lines is a log that tests can look at.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *lines) count(s string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), s)
}

// warnings returns how many warnings name a peer.
func (l *lines) warnings(peer string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, "level=WARN") && strings.Contains(line, "peer="+peer) {
			n++
		}
	}
	return n
}

// end reads a stream to its end and returns the final error.
func end(s network.Stream) error {
	_ = s.SetReadDeadline(time.Now().Add(patience))
	_, err := io.Copy(io.Discard, s)
	return err
}
