package gossip

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"
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

// ask opens a stream of a protocol to a peer, on which talk has a time to ask and to read the answer, and ends it.
func ask(ctx context.Context, h host.Host, to peer.ID, on corep2p.ID, talk func(s network.Stream) error) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	s, err := h.NewStream(ctx, to, on)
	if err != nil {
		return err
	}
	defer func() { _ = s.Reset() }()
	defer context.AfterFunc(ctx, func() { _ = s.Reset() })()
	return talk(s)
}

// asks does what [ask] does, on the connection of a link that is up, until the host is done.
func (l *link) asks(ctx context.Context, on corep2p.ID, talk func(s network.Stream) error) error {
	ctx, cancel := context.WithCancel(network.WithNoDial(ctx, "connected before"))
	defer cancel()
	defer context.AfterFunc(l.h.work, cancel)()
	return ask(ctx, l.h.libp2p, l.id, on, talk)
}

// handle serves the streams of a protocol that peers open, until the host ends.
func (h *Host) handle(on corep2p.ID, serve func(s network.Stream)) {
	h.libp2p.SetStreamHandler(on, func(s network.Stream) {
		if !h.enter() {
			_ = s.ResetWithError(network.StreamShutdown)
			return
		}
		defer h.running.Done()
		defer context.AfterFunc(h.life, func() { _ = s.ResetWithError(network.StreamShutdown) })()
		serve(s)
	})
}

// handleTrades answers the streams of a protocol that peers open, each for a time, unless a peer has opened too many.
func (h *Host) handleTrades(on corep2p.ID, answer func(s network.Stream, with *trader) error) {
	h.handle(on, func(s network.Stream) { h.serve(s, answer) })
}

func (h *Host) serve(s network.Stream, answer func(s network.Stream, with *trader) error) {
	with := h.traders[s.Conn().RemotePeer()] // the gate refuses all others
	if err := with.trades.take(time.Now()); err != nil {
		with.accuse(err, h.log)
		_ = s.ResetWithError(network.StreamRateLimited)
		return
	}
	err := s.SetDeadline(time.Now().Add(dialTimeout))
	if err == nil {
		err = answer(s, with)
	}
	if err != nil {
		with.judge(err, h.log)
		h.log.Debug("not traded", "with", s.Conn().RemotePeer(), "protocol", s.Protocol(), "reason", oneLine(err))
		_ = s.Reset()
		return
	}
	with.alive()
	_ = s.Close()
}

// judge accuses the peer of an error that is its fault.
func (t *trader) judge(err error, log *slog.Logger) {
	if errors.Is(err, errViolation) || errors.Is(err, ErrDocument) {
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
