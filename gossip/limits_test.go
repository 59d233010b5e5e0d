package gossip

import (
	"testing"

	"github.com/libp2p/go-libp2p/core/network"
	ma "github.com/multiformats/go-multiaddr"
)

// All peers may have one address, but one address may not connect without limit.
func TestOneAddressMayHoldAllPeers(t *testing.T) {
	const n = 100
	for _, addr := range []string{"/ip4/192.0.2.1/tcp/4001", "/ip6/2001:db8::1/tcp/4001"} {
		m, err := newLimits(n)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		let := 0
		for range 10 * n {
			c, err := m.OpenConnection(network.DirInbound, true, ma.StringCast(addr))
			if err != nil {
				break
			}
			defer c.Done()
			let++
		}
		if let < 2*n || let > 3*n {
			t.Errorf("%s: %d connections for %d peers", addr, let, n)
		}
	}
}
