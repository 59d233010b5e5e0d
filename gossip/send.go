package gossip

import (
	"context"
	"fmt"

	"peerd.dev/protocol"
)

// Send queues messages, in order, for the links and the topic that they are
// addressed to. A message that cannot be delivered is dropped and counted; where
// a queue is full that is the oldest in it. If the host is lossless, Send waits
// for room instead, and what cannot be delivered is an error; room comes about
// only if the neighbours read their inboxes, so two that send more than the
// queues hold must not both wait to read until they have sent. Send is not safe
// for concurrent use.
func (h *Host) Send(ctx context.Context, es []protocol.Envelope) error {
	for i := range es {
		if err := h.Err(); err != nil {
			return err
		}
		if err := h.send(ctx, es[i].To, es[i].Message.Frame()); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) send(ctx context.Context, to protocol.Peer, frame string) error {
	if to == protocol.Everyone && h.topic != nil {
		h.markDue()
		return h.topic.publish(ctx, []byte(frame))
	}
	if int64(to) >= int64(len(h.members)) || h.members[to].link == nil {
		return h.cannot("message to peer %d, who is no neighbour", to)
	}
	l := h.members[to].link
	if len(frame) > protocol.MaxFrame {
		l.dropped.Add(1)
		return h.cannot("message of %d bytes to peer %d, at most %d", len(frame), to, protocol.MaxFrame)
	}
	if h.cfg.Lossless {
		return l.put(ctx, parcel{frame, h.mark.Load()})
	}
	l.push(parcel{frame, h.mark.Load()})
	return nil
}

// markDue has every link send the mark that this peer has now, if it has not yet.
// A message on the topic cannot be made to wait for it.
func (h *Host) markDue() {
	for _, n := range h.cfg.Neighbours {
		select {
		case h.members[n].link.due <- struct{}{}:
		default:
		}
	}
}

// push queues a message in the place of the oldest one if need be.
func (l *link) push(p parcel) {
	for {
		select {
		case l.queue <- p:
			return
		default:
		}
		select {
		case <-l.queue:
			l.dropped.Add(1)
		default:
		}
	}
}

// put queues a message once there is room.
func (l *link) put(ctx context.Context, p parcel) error {
	if l.gone() {
		return fmt.Errorf("gossip: peer %d has left", l.index)
	}
	select {
	case l.queue <- p:
		return nil
	case <-l.h.work.Done():
		return l.h.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cannot counts a message that nobody can be sent. It is an error only where
// nothing may be lost: a peer's claims must not be able to stop a host.
func (h *Host) cannot(format string, args ...any) error {
	err := fmt.Errorf("gossip: "+format, args...)
	if h.cfg.Lossless {
		return err
	}
	h.undeliverable.Add(1)
	h.log.Debug("message dropped", "reason", err)
	return nil
}
