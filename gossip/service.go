package gossip

import (
	"context"
	"fmt"
	"io"

	"github.com/libp2p/go-libp2p/core/network"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"

	"peerd.dev/protocol"
)

// A Service is a protocol of an extra, by which peers ask each other on streams of their own. Only a host with [Config.Checkpoints] has it.
type Service struct {
	ID string
	// Answer answers a peer that has a part in the network. An error that wraps [ErrViolation] accuses that peer.
	Answer func(h *Host, s io.ReadWriter, from protocol.Peer) error
	// Run, if set, runs until ctx is done.
	Run func(ctx context.Context, h *Host)
}

// ErrViolation is wrapped by errors about a peer that breaks a protocol.
var ErrViolation = errViolation

// serves answers the streams of a service.
func (h *Host) serves(x Service) {
	h.handleTrades(corep2p.ID(x.ID), func(s network.Stream, from *trader) error {
		if from.unheard || h.cfg.Peers[from.index].Absent {
			return fmt.Errorf("%w: no part in the network", errViolation)
		}
		return x.Answer(h, s, from.index)
	})
}

// Ask asks a neighbour on a stream of a service, on the connection of its link. An error that wraps [ErrViolation] accuses the
// neighbour.
func (h *Host) Ask(ctx context.Context, n protocol.Peer, on string, talk func(s io.ReadWriter) error) error {
	if !h.enter() {
		return context.Cause(h.work)
	}
	defer h.running.Done()
	l := h.members[n].link
	err := l.asks(ctx, corep2p.ID(on), func(s network.Stream) error { return talk(s) })
	if h.traders[l.id].judge(err, h.log); err != nil {
		l.log.Debug("no answer", "protocol", on, "reason", oneLine(err))
	}
	return err
}

// Linked returns the neighbours whose links are up, each with what is another value once its link was down, and a channel that is closed
// when any of it changes.
func (h *Host) Linked() (up map[protocol.Peer]any, changed <-chan struct{}) {
	h.mu.Lock()
	changed = h.changed
	h.mu.Unlock()
	up = make(map[protocol.Peer]any)
	for _, n := range h.cfg.Neighbours {
		l := h.members[n].link
		l.mu.Lock()
		if l.in != nil && l.out != nil {
			up[n] = l.out
		}
		l.mu.Unlock()
	}
	return up, changed
}

// Proven returns what is remembered of a peer's ledger; no records if that peer has not signed it.
func (h *Host) Proven(of protocol.Peer) protocol.Checkpoint {
	c := h.members[of].remembered()
	if !h.showable(of, &c) || !h.cfg.proves(of, c) {
		return protocol.Checkpoint{}
	}
	return c.Checkpoint
}
