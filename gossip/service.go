package gossip

import (
	"context"
	"fmt"
	"io"

	"github.com/libp2p/go-libp2p/core/network"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// serves answers the streams of a service.
func (h *Host) serves(x Service) {
	h.handleTrades(corep2p.ID(x.ID), func(s network.Stream, from *trader) error {
		if from.unheard || h.cfg.Peers[from.index].Absent {
			return fmt.Errorf("%w: no part in the network", wire.ErrViolation)
		}
		return x.Answer(h, s, from.index)
	})
}

// Ask asks a neighbour on a stream of a service, on the connection of its link. An error that wraps [wire.ErrViolation] accuses the
// neighbour.
func (all *links) Ask(ctx context.Context, n protocol.Peer, on string, talk func(s io.ReadWriter) error) error {
	if !all.enter() {
		return all.Err()
	}
	defer all.running.Done()
	l := all.neighbours[n]
	err := l.asks(ctx, corep2p.ID(on), func(s network.Stream) error { return talk(s) })
	if all.traders[l.id].judge(err, all.log); err != nil {
		l.log.Debug("no answer", "protocol", on, "reason", oneLine(err))
	}
	return err
}

// Linked returns the neighbours whose links are up, each with what is another value once its link was down, and a channel that is closed
// when any of it changes.
func (all *links) Linked() (up map[protocol.Peer]any, changed <-chan struct{}) {
	changed, up = all.change(), make(map[protocol.Peer]any)
	for _, n := range all.cfg.Neighbours {
		l := all.neighbours[n]
		l.mu.Lock()
		if l.in != nil && l.out != nil {
			up[n] = l.out
		}
		l.mu.Unlock()
	}
	return up, changed
}

// Proven returns what is remembered of a peer's ledger; no records if that peer has not signed it.
func (k *ledgers) Proven(of protocol.Peer) protocol.Checkpoint {
	c := k.members[of].remembered()
	if !k.showable(of, &c) || !k.cfg.proves(of, c) {
		return protocol.Checkpoint{}
	}
	return c.Checkpoint
}
