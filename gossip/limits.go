package gossip

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	"github.com/libp2p/go-libp2p/x/rate"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// Limits of a connection. A peer needs two link streams, four for the topic and a few
// short ones for identification; a stream's window starts at 256 KiB. Streams are fewer than the windows for which there
// is memory: a connection without memory ends without a word on why.
const (
	peerStreams = 24
	peerMemory  = 8 << 20
	baseMemory  = 64 << 20
	spare       = 256 // connections of strangers, until they are refused
	spareOne    = 16  // from one address
)

// limits is a resource manager whose refused connections are counted by the gate.
type limits struct {
	network.ResourceManager
	gate *gate
}

// OpenConnection implements [network.ResourceManager].
func (l limits) OpenConnection(dir network.Direction, fd bool, at ma.Multiaddr) (network.ConnManagementScope, error) {
	c, err := l.ResourceManager.OpenConnection(dir, fd, at)
	if err != nil && dir == network.DirInbound {
		l.gate.refuse(at, err)
	}
	return c, err
}

// OpenStream implements [network.ResourceManager]. It refuses the streams of a peer that has opened too many.
func (l limits) OpenStream(p peer.ID, dir network.Direction) (network.StreamManagementScope, error) {
	s, err := l.ResourceManager.OpenStream(p, dir)
	with := l.gate.traders[p]
	if dir != network.DirInbound || with == nil {
		return s, err
	}
	if many := with.streams.take(time.Now()); many != nil && err == nil {
		s.Done()
		s, err = nil, many
	}
	if err != nil {
		with.accuse(err, l.gate.log)
	}
	return s, err
}

// newLimits returns a resource manager for the peers of a gate. All peers may have the same
// address, as in a test network or behind a NAT; libp2p's defaults would allow eight. Connections
// of strangers, who have 15 s to identify themselves, do not count against the limit of addresses
// that the network lists.
func newLimits(g *gate, extra []Service) (network.ResourceManager, error) {
	n := len(g.peers)
	conns := rcmgr.LimitVal(2*n + spare)
	streams := rcmgr.LimitVal(peerStreams * (n + 1))
	links := rcmgr.ResourceLimits{Streams: streams, StreamsInbound: streams, StreamsOutbound: streams, Memory: rcmgr.LimitVal64(baseMemory + n*peerMemory)}
	with := func(conns, eachWay rcmgr.LimitVal) rcmgr.ResourceLimits {
		l := links
		l.Conns, l.ConnsInbound, l.ConnsOutbound, l.FD = conns, eachWay, eachWay, conns
		return l
	}
	listed, system, transient := with(4*rcmgr.LimitVal(n), 2*rcmgr.LimitVal(n)), with(2*conns, conns), with(conns, conns)
	transient.Memory = baseMemory
	link := rcmgr.ResourceLimits{Streams: 8, StreamsInbound: 4, StreamsOutbound: 4, Memory: peerMemory}
	probe := rcmgr.ResourceLimits{Streams: 2, StreamsInbound: 2, StreamsOutbound: 2, Memory: peerMemory}
	trade := rcmgr.ResourceLimits{Streams: 4, StreamsInbound: 2, StreamsOutbound: 2, Memory: peerMemory}
	config := rcmgr.PartialLimitConfig{
		AllowlistedSystem: listed, AllowlistedTransient: listed,
		System: system, Transient: transient,
		PeerDefault: rcmgr.ResourceLimits{
			Conns: 4, ConnsInbound: 4, ConnsOutbound: 4,
			Streams: peerStreams, StreamsInbound: peerStreams, StreamsOutbound: peerStreams,
			FD: 4, Memory: peerMemory,
		},
		Protocol: map[corep2p.ID]rcmgr.ResourceLimits{linkProtocol: links},
		ProtocolPeer: map[corep2p.ID]rcmgr.ResourceLimits{
			linkProtocol: link, probeProtocol: probe,
			documentProtocol: trade, memoryProtocol: trade, clockProtocol: trade,
		},
	}
	for _, x := range extra {
		config.ProtocolPeer[corep2p.ID(x.ID)] = trade
	}
	perAddr := 2*n + spareOne
	m, err := rcmgr.NewResourceManager(
		rcmgr.NewFixedLimiter(config.Build(rcmgr.DefaultLimits.AutoScale())),
		rcmgr.WithMetricsDisabled(),
		rcmgr.WithLimitPerSubnet(
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: perAddr}},
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 56, ConnCount: perAddr}},
		),
		rcmgr.WithConnRateLimiters(newConnRate(perAddr)),
		rcmgr.WithAllowlistedMultiaddrs(listedIPs(g.peers)),
	)
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	return limits{m, g}, nil
}

// listedIPs returns the IP addresses at which peers are dialled, without names.
func listedIPs(peers []peer.AddrInfo) (all []ma.Multiaddr) {
	for _, p := range peers {
		for _, a := range p.Addrs {
			if ip, err := manet.ToIP(a); err == nil {
				if at, err := manet.FromIP(ip); err == nil {
					all = append(all, at)
				}
			}
		}
	}
	return all
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
