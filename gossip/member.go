package gossip

import (
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/gossip/wire"
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

// A trader is a peer that may exchange network documents, and memories of checkpoints, with this one.
type trader struct {
	*member           // one of its own for an id that a peer had before
	unheard bool      // it receives the document, and what it shows is not read
	all     []*member // by index
}

// newTraders returns who may exchange documents with a host of members. An id in former is unheard unless its peer is
// invited, and so about to have a part.
func newTraders(members []*member, peers []PeerInfo, former []peer.ID) map[peer.ID]*trader {
	all := make(map[peer.ID]*trader)
	for _, id := range former {
		all[id] = &trader{newMember(0, id.String(), id), true, members}
	}
	for i, m := range members {
		_, was := all[m.id]
		all[m.id] = &trader{m, peers[i].Gone || was && !peers[i].Absent, members}
	}
	return all
}

// judge accuses the peer of an error that is its fault.
func (t *trader) judge(err error, log *slog.Logger) {
	if errors.Is(err, wire.ErrViolation) || errors.Is(err, ErrDocument) {
		t.accuse(err, log)
	}
}

// excuse returns an error, unless it is the fault of one that has signed what the peer showed, which it accuses.
func (t *trader) excuse(err error, log *slog.Logger) error {
	lie := new(Lie)
	if !errors.As(err, &lie) {
		return err
	}
	if int(lie.Of) < len(t.all) { // the document may be newer than the host
		t.all[lie.Of].accuse(err, log)
	}
	return nil
}
