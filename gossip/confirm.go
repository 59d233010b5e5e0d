package gossip

import (
	"context"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/protocol"
)

// Confirm sends c, a checkpoint of this peer, to the neighbours whose links are up, and asks each
// of them what it remembers of this peer. It calls OnRemembered with every answer. A neighbour
// may answer before it has received c; the next call then shows that it has. A host without
// checkpoints asks nothing.
func (h *Host) Confirm(ctx context.Context, c protocol.Checkpoint) {
	if !h.cfg.Checkpoints || !h.enter() {
		return
	}
	defer h.running.Done()
	h.Advance(c)
	h.checkpointDue()
	for _, n := range h.cfg.Neighbours {
		l := h.members[n].link
		if state, _, _ := l.state(); state != Up || h.work.Err() != nil {
			continue
		}
		remembered, err := l.ask(ctx)
		if err == nil {
			err = l.checkRemembered(remembered, false)
		}
		if err != nil {
			l.log.Debug("not confirmed", "reason", err)
		}
	}
}

// ask returns what the neighbour remembers of this peer.
func (l *link) ask(ctx context.Context) (protocol.SignedCheckpoint, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	defer context.AfterFunc(l.h.work, cancel)()
	s, err := l.h.libp2p.NewStream(network.WithNoDial(ctx, "connected before"), l.id, probeProtocol)
	if err != nil {
		return protocol.SignedCheckpoint{}, err
	}
	ours := l.hello()
	theirs, err := l.h.cfg.tradeHellos(ctx, s, &ours)
	if err == nil {
		err = ours.check(&theirs, l.index)
	}
	return theirs.remembered, err
}
