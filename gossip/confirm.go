package gossip

import (
	"bufio"
	"context"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// Confirm sends c, a checkpoint of this peer, to the neighbours whose links are up, and asks each
// of them what it remembers of this peer. It calls OnRemembered with every answer. A neighbour
// may answer before it has received c; the next call then shows that it has. A host without
// checkpoints asks nothing.
func (all *links) Confirm(ctx context.Context, c protocol.Checkpoint) {
	if !all.cfg.Checkpoints || !all.enter() {
		return
	}
	defer all.running.Done()
	all.Advance(c)
	all.checkpointDue()
	for _, n := range all.cfg.Neighbours {
		l := all.neighbours[n]
		if state, _, _ := l.state(); state != Up || all.work.Err() != nil {
			continue
		}
		remembered, err := l.confirmed(ctx)
		if err == nil {
			err = l.checkRemembered(remembered, false)
		}
		if err != nil {
			l.log.Debug("not confirmed", "reason", err)
		}
	}
}

// confirmed returns what the neighbour remembers of this peer.
func (l *link) confirmed(ctx context.Context) (protocol.SignedCheckpoint, error) {
	ours := l.hello()
	var theirs wire.Hello
	err := l.asks(ctx, probeProtocol, func(s network.Stream) (err error) {
		theirs, _, err = l.all.cfg.askHello(s, bufio.NewReaderSize(s, wire.MaxHello), &ours)
		return err
	})
	if err == nil {
		err = ours.Check(&theirs, l.index)
	}
	return theirs.Remembered, err
}
