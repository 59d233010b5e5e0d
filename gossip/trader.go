package gossip

import (
	"errors"
	"log/slog"

	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/gossip/wire"
)

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
