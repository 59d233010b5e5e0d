package gossip

import (
	"errors"
	"fmt"
	"time"

	coreconnmgr "github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/sec"
	basichost "github.com/libp2p/go-libp2p/p2p/host/basic"
	"github.com/libp2p/go-libp2p/p2p/host/eventbus"
	"github.com/libp2p/go-libp2p/p2p/host/peerstore/pstoremem"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/connmgr"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	"github.com/libp2p/go-libp2p/p2p/net/upgrader"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
)

// Connections with peers that are not neighbours: more than mostConns are reduced to leastConns.
const (
	leastConns = 32
	mostConns  = 64
)

// maxWindow bounds the unread bytes of a stream.
const maxWindow = 1 << 20

// newLibp2p returns a libp2p host that does not listen yet. It is put together from its parts, since the function that libp2p has
// for this links all of its transports, and their code would be in every peer.
func newLibp2p(c Config, g *gate) (_ host.Host, err error) {
	var open []func() error
	defer func() {
		for i := len(open) - 1; err != nil && i >= 0; i-- {
			err = errors.Join(err, open[i]())
		}
	}()
	limits, err := newLimits(g, c.Services)
	if err != nil {
		return nil, err
	}
	open = append(open, limits.Close)
	// Links are protected and not counted. The other connections are with listed peers that are
	// not neighbours.
	conns, err := connmgr.NewConnManager(leastConns, mostConns, connmgr.WithGracePeriod(20*time.Second))
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	open = append(open, conns.Close)
	bus := eventbus.NewBus()
	net, err := newSwarm(c.Identity, limits, g, bus)
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	open = append(open, net.Close)
	h, err := basichost.NewHost(net, &basichost.HostOpts{EventBus: bus, ConnManager: conns, UserAgent: "peerd"})
	if err != nil {
		return nil, fmt.Errorf("gossip: %w", err)
	}
	h.Start()
	return h, nil
}

// newSwarm returns connections over TCP, with Noise and yamux.
func newSwarm(id Identity, limits network.ResourceManager, g coreconnmgr.ConnectionGater, bus event.Bus) (*swarm.Swarm, error) {
	peers, err := pstoremem.NewPeerstore()
	if err != nil {
		return nil, err
	}
	net, err := swarm.NewSwarm(id.id, peers, bus, swarm.WithConnectionGater(g), swarm.WithResourceManager(limits), swarm.WithDialTimeout(dialTimeout),
		swarm.WithIPv6BlackHoleSuccessCounter(nil)) // with one, libp2p gives up a whole family of addresses after a long absence of a neighbour
	if err == nil {
		err = errors.Join(peers.AddPrivKey(id.id, id.private), peers.AddPubKey(id.id, id.private.GetPublic()), addTCP(net, id, limits, g))
	}
	if err != nil {
		return nil, errors.Join(err, peers.Close())
	}
	return net, nil
}

// addTCP adds the transport.
func addTCP(to *swarm.Swarm, id Identity, limits network.ResourceManager, g coreconnmgr.ConnectionGater) error {
	mux := *yamux.DefaultTransport
	mux.MaxStreamWindowSize = maxWindow
	muxers := []upgrader.StreamMuxer{{ID: yamux.ID, Muxer: &mux}}
	secure, err := noise.New(noise.ID, id.private, muxers)
	if err != nil {
		return err
	}
	up, err := upgrader.New([]sec.SecureTransport{secure}, muxers, nil, limits, g)
	if err != nil {
		return err
	}
	// Shared ports would let a second daemon listen on the same address without an error.
	t, err := tcp.NewTCPTransport(up, limits, nil, tcp.DisableReuseport())
	if err != nil {
		return err
	}
	return to.AddTransport(t)
}
