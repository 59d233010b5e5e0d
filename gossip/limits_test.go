package gossip

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// limited returns the resource manager of a network of n peers, of which one has an address, and its
// gate.
func limited(t *testing.T, n int, log *slog.Logger) (network.ResourceManager, *gate) {
	t.Helper()
	peers := make([]peer.AddrInfo, n)
	for i := range peers {
		peers[i].ID = SeedIdentity([32]byte{byte(i + 1)}).id
	}
	peers[0].Addrs = []ma.Multiaddr{ma.StringCast("/ip4/203.0.113.9/tcp/8471"), ma.StringCast("/dns4/site.example/tcp/8471")}
	g := newGate("", peers, nil, log)
	m, err := newLimits(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m, g
}

// enter opens connections from an address until one is refused or most are open, and returns
// their number. They stay open.
func enter(m network.ResourceManager, addr string, most int) (n int) {
	for ; n < most; n++ {
		if _, err := m.OpenConnection(network.DirInbound, true, ma.StringCast(addr)); err != nil {
			break
		}
	}
	return n
}

// All peers may have one address, but an address may not connect without limit.
func TestOneAddressMayHoldAllPeers(t *testing.T) {
	const n = 100
	for _, addr := range []string{"/ip4/192.0.2.1/tcp/4001", "/ip6/2001:db8::1/tcp/4001"} {
		m, _ := limited(t, n, slog.New(slog.DiscardHandler))
		if let := enter(m, addr, 10*n); let < 2*n || let > 3*n {
			t.Errorf("%s: %d connections for %d peers", addr, let, n)
		}
	}
}

// An address that holds all the connections that it may have keeps no other address out. Many
// addresses that together hold all the connections that exist keep out only strangers, not peers
// at listed addresses.
func TestConnectionsOfOthersKeepNoPeerOut(t *testing.T) {
	m, _ := limited(t, 4, slog.New(slog.DiscardHandler))
	enter(m, "/ip4/192.0.2.1/tcp/4001", 10_000)
	if enter(m, "/ip4/192.0.2.2/tcp/4001", 4) < 4 {
		t.Error("one address keeps others out")
	}
	for i := range 250 {
		enter(m, fmt.Sprintf("/ip4/198.51.100.%d/tcp/4001", i), 10_000)
	}
	if enter(m, "/ip4/192.0.2.3/tcp/4001", 1) > 0 {
		t.Error("there is no limit to all connections")
	}
	if enter(m, "/ip4/203.0.113.9/tcp/40001", 4) < 4 {
		t.Error("many addresses keep out a listed one")
	}
}

// An address that connects again and again is refused for a while, even if it holds no
// connection; the count and one line of the log show it.
func TestRefusedConnectionsAreCounted(t *testing.T) {
	log := new(lines)
	m, g := limited(t, 4, log.logger())
	let := 0
	for range 1000 {
		if c, err := m.OpenConnection(network.DirInbound, true, ma.StringCast("/ip4/192.0.2.1/tcp/4001")); err == nil {
			let++
			c.Done()
		}
	}
	if n := g.limited.Load(); let > 100 || n != uint64(1000-let) {
		t.Errorf("%d of 1000 let in, %d counted", let, n)
	}
	if n := log.count("too many connections"); n != 1 {
		t.Errorf("%d lines of the log", n)
	}
	if _, err := m.OpenConnection(network.DirInbound, true, ma.StringCast("/ip4/192.0.2.2/tcp/4001")); err != nil {
		t.Errorf("another address: %v", err)
	}
}
