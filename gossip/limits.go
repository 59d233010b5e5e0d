package gossip

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	"github.com/libp2p/go-libp2p/x/rate"
)

// Limits of a connection. A peer needs two link streams, four for the topic and a few
// short ones for identification; a stream's window starts at 256 KiB.
const (
	peerStreams = 32
	peerMemory  = 8 << 20
	baseMemory  = 64 << 20
	spare       = 64 // connections of strangers, until they are refused
)

// newLimits returns a resource manager for a network of n peers. All peers may have the
// same address, as in a test network or behind a NAT; libp2p's defaults would allow eight.
func newLimits(n int) (network.ResourceManager, error) {
	defaults := rcmgr.DefaultLimits
	libp2p.SetDefaultServiceLimits(&defaults)
	conns := rcmgr.LimitVal(2*n + spare)
	limits := rcmgr.PartialLimitConfig{
		System: rcmgr.ResourceLimits{
			Conns: 2 * conns, ConnsInbound: conns, ConnsOutbound: conns,
			Streams:         rcmgr.LimitVal(peerStreams * (n + 1)),
			StreamsInbound:  rcmgr.LimitVal(peerStreams * (n + 1)),
			StreamsOutbound: rcmgr.LimitVal(peerStreams * (n + 1)),
			FD:              2 * conns,
			Memory:          rcmgr.LimitVal64(baseMemory + n*peerMemory),
		},
		Transient: rcmgr.ResourceLimits{
			Conns: conns, ConnsInbound: conns, ConnsOutbound: conns,
			Streams:         rcmgr.LimitVal(peerStreams * (n + 1)),
			StreamsInbound:  rcmgr.LimitVal(peerStreams * (n + 1)),
			StreamsOutbound: rcmgr.LimitVal(peerStreams * (n + 1)),
			FD:              conns,
			Memory:          baseMemory,
		},
		PeerDefault: rcmgr.ResourceLimits{
			Conns: 4, ConnsInbound: 4, ConnsOutbound: 4,
			Streams: peerStreams, StreamsInbound: peerStreams, StreamsOutbound: peerStreams,
			FD: 4, Memory: peerMemory,
		},
		Protocol: map[corep2p.ID]rcmgr.ResourceLimits{
			linkProtocol: {
				Streams:         rcmgr.LimitVal(peerStreams * (n + 1)),
				StreamsInbound:  rcmgr.LimitVal(peerStreams * (n + 1)),
				StreamsOutbound: rcmgr.LimitVal(peerStreams * (n + 1)),
				Memory:          rcmgr.LimitVal64(baseMemory + n*peerMemory),
			},
		},
		ProtocolPeer: map[corep2p.ID]rcmgr.ResourceLimits{
			linkProtocol:  {Streams: 8, StreamsInbound: 4, StreamsOutbound: 4, Memory: peerMemory},
			probeProtocol: {Streams: 2, StreamsInbound: 2, StreamsOutbound: 2, Memory: peerMemory},

			documentProtocol: {Streams: 4, StreamsInbound: 2, StreamsOutbound: 2, Memory: peerMemory},
		},
	}
	perAddr := int(conns)
	m, err := rcmgr.NewResourceManager(
		rcmgr.NewFixedLimiter(limits.Build(defaults.AutoScale())),
		rcmgr.WithMetricsDisabled(),
		rcmgr.WithLimitPerSubnet(
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: perAddr}},
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 56, ConnCount: perAddr}},
		),
		rcmgr.WithConnRateLimiters(newConnRate(perAddr)),
	)
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	return m, nil
}

// newConnRate limits the connections per second from one address, so that handshakes with
// strangers, about 6 ms each, cannot use up the processor.
func newConnRate(burst int) *rate.Limiter {
	limit := rate.Limit{RPS: 8, Burst: burst}
	return &rate.Limiter{
		NetworkPrefixLimits: []rate.PrefixLimit{ // without limit
			{Prefix: netip.MustParsePrefix("127.0.0.0/8")},
			{Prefix: netip.MustParsePrefix("::1/128")},
		},
		SubnetRateLimiter: rate.SubnetLimiter{
			IPv4SubnetLimits: []rate.SubnetLimit{{PrefixLength: 32, Limit: limit}},
			IPv6SubnetLimits: []rate.SubnetLimit{{PrefixLength: 56, Limit: limit}},
			GracePeriod:      time.Minute,
		},
	}
}
