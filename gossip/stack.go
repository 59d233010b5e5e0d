package gossip

import (
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/connmgr"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
)

// maxWindow bounds the unread bytes of a stream.
const maxWindow = 1 << 20

// newLibp2p returns a libp2p host that does not listen yet.
func newLibp2p(c Config, g *gate) (host.Host, error) {
	limits, err := newLimits(g)
	if err != nil {
		return nil, err
	}
	// Links are protected and not counted. The other connections are with listed peers that are
	// not neighbours.
	conns, err := connmgr.NewConnManager(32, 64, connmgr.WithGracePeriod(20*time.Second))
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	agent := c.UserAgent
	if agent == "" {
		agent = "peerd"
	}
	mux := *yamux.DefaultTransport
	mux.MaxStreamWindowSize = maxWindow
	h, err := libp2p.New(
		libp2p.Identity(c.Identity.private),
		libp2p.NoListenAddrs,
		// Shared ports would let a second daemon listen on the same address
		// without an error.
		libp2p.Transport(tcp.NewTCPTransport, tcp.DisableReuseport()),
		libp2p.Security(noise.ID, noise.New),
		libp2p.Muxer(yamux.ID, &mux),
		libp2p.ConnectionGater(g),
		libp2p.ResourceManager(limits),
		libp2p.ConnectionManager(conns),
		libp2p.DisableRelay(),
		libp2p.DisableIdentifyAddressDiscovery(),
		libp2p.DisableMetrics(),
		libp2p.Ping(false),
		// Without this, libp2p disables a whole family of addresses after a long absence of a
		// neighbour.
		libp2p.IPv6BlackHoleSuccessCounter(nil),
		libp2p.WithDialTimeout(dialTimeout),
		libp2p.UserAgent(agent),
	)
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	return h, nil
}
