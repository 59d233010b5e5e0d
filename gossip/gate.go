package gossip

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"peerd.dev/protocol"
)

// gate accepts connections with listed peers, and with former ones for documentProtocol only. The
// peer is known only once the connection is secured, so a refused dialler sees its connection
// succeed and then close.
type gate struct {
	self      peer.ID
	peers     []peer.AddrInfo // listed, by index
	listed    map[peer.ID]protocol.Peer
	former    map[peer.ID]bool    // ids that listed peers had before, and ids of peers that left
	traders   map[peer.ID]*trader // whose streams are counted; nil for none
	log       *slog.Logger
	strangers atomic.Uint64             // connections refused because their peer is not listed
	first     atomic.Pointer[time.Time] // when the first of them was refused
	named     minute                    // of log lines about them
	limited   atomic.Uint64             // connections refused before the peer was known
	logged    minute                    // of log lines about them
	clones    atomic.Uint64             // connections refused because they have our own key
}

func newGate(self peer.ID, listed []peer.AddrInfo, former []peer.ID, log *slog.Logger) *gate {
	g := &gate{self: self, peers: listed, listed: make(map[peer.ID]protocol.Peer), former: make(map[peer.ID]bool), log: log}
	for i, p := range listed {
		g.listed[p.ID] = protocol.Peer(i)
	}
	for _, id := range former {
		delete(g.listed, id)
		g.former[id] = true
	}
	return g
}

var _ connmgr.ConnectionGater = (*gate)(nil)

// InterceptPeerDial allows dials to listed peers.
func (g *gate) InterceptPeerDial(p peer.ID) bool {
	_, ok := g.listed[p]
	return ok
}

// InterceptAddrDial allows all addresses of a peer that may be dialled.
func (g *gate) InterceptAddrDial(peer.ID, ma.Multiaddr) bool { return true }

// InterceptAccept allows all connections: the peer is not known yet.
func (g *gate) InterceptAccept(network.ConnMultiaddrs) bool { return true }

// InterceptSecured allows connections with listed and former peers other than this one.
func (g *gate) InterceptSecured(_ network.Direction, p peer.ID, at network.ConnMultiaddrs) bool {
	if p == g.self {
		if g.clones.Add(1) == 1 {
			g.log.Warn("refused: another process has this peer's key; stop one of the two", "at", at.RemoteMultiaddr())
		}
		return false
	}
	if _, ok := g.listed[p]; !ok && !g.former[p] {
		g.stranger(p, at)
		return false
	}
	return true
}

// joining is how long a peer may be a stranger before this peer warns: one that joins connects before all others know of it.
const joining = 10 * time.Second

// stranger counts a connection of a peer that is not listed. It logs the first one, and warns of others at most once a minute.
func (g *gate) stranger(p peer.ID, at network.ConnMultiaddrs) {
	n, now := g.strangers.Add(1), time.Now()
	if g.first.CompareAndSwap(nil, &now) {
		g.log.Info("refused: a peer that is not in the network file connected; it may be joining", "id", p, "at", at.RemoteMultiaddr())
	} else if now.Sub(*g.first.Load()) > joining && g.named.over() {
		g.log.Warn("refused: a peer that is not in the network file connected", "id", p, "at", at.RemoteMultiaddr(), "refused", n)
	}
}

// refuse counts a connection that was refused before the peer was known, and logs at most one a
// minute.
func (g *gate) refuse(at ma.Multiaddr, err error) {
	n := g.limited.Add(1)
	if g.logged.over() {
		g.log.Warn("refused: too many connections", "at", at, "reason", oneLine(err), "refused", n)
	}
}

// InterceptUpgraded allows all connections that got this far.
func (g *gate) InterceptUpgraded(network.Conn) (bool, control.DisconnectReason) { return true, 0 }
