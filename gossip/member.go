package gossip

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/protocol"
)

// member is a host's state of one peer of the network.
type member struct {
	index       protocol.Peer
	name        string // for the log
	id          peer.ID
	incarnation atomic.Uint32
	seen        atomic.Int64 // Unix time in ns of the newest sign of life; 0 for none
	refused     atomic.Uint64
	dropped     atomic.Uint64
	framesIn    atomic.Uint64
	framesOut   atomic.Uint64
	bytesIn     atomic.Uint64
	bytesOut    atomic.Uint64

	trades, streams, rpcs quota
	named                 minute // of log lines about what is refused

	memory
}

func newMember(index protocol.Peer, name string, id peer.ID) *member {
	return &member{
		index: index, name: name, id: id,
		trades: quota{of: "exchanges", most: maxTrades}, streams: quota{of: "streams", most: maxStreams},
		rpcs: quota{of: "messages on the topic", most: maxRPCs},
	}
}

// accuse counts what a peer does against the rules. It names the peer in the log, at most once a minute.
func (m *member) accuse(why error, log *slog.Logger) {
	if n := m.refused.Add(1); m.named.over() {
		log.Warn("refused: what a peer does is against the rules", "peer", m.name, "reason", oneLine(why), "refused", n)
	}
}

// alive records a sign of life.
func (m *member) alive() { m.seen.Store(time.Now().UnixNano()) }
