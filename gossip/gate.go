package gossip

import (
	"sync/atomic"

	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"peerd.dev/protocol"
)

// gate lets in the network's peers and nobody else. Who it is that connects is
// known once the connection is secured; a refused dialler sees its connection
// succeed and then close.
type gate struct {
	listed    map[peer.ID]protocol.Peer
	strangers atomic.Uint64 // connections refused
}

var _ connmgr.ConnectionGater = (*gate)(nil)

// InterceptPeerDial allows dials to listed peers.
func (g *gate) InterceptPeerDial(p peer.ID) bool {
	_, ok := g.listed[p]
	return ok
}

// InterceptAddrDial allows all addresses of a peer that may be dialled.
func (g *gate) InterceptAddrDial(peer.ID, ma.Multiaddr) bool { return true }

// InterceptAccept allows all: at this point nobody has said who they are.
func (g *gate) InterceptAccept(network.ConnMultiaddrs) bool { return true }

// InterceptSecured allows connections with listed peers.
func (g *gate) InterceptSecured(_ network.Direction, p peer.ID, _ network.ConnMultiaddrs) bool {
	if _, ok := g.listed[p]; !ok {
		g.strangers.Add(1)
		return false
	}
	return true
}

// InterceptUpgraded allows what passed until here.
func (g *gate) InterceptUpgraded(network.Conn) (bool, control.DisconnectReason) { return true, 0 }
