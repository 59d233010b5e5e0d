package gossip

import (
	"context"
	"fmt"

	"peerd.dev/protocol"
)

// Send queues messages, in order, for the links and the topic that they are addressed
// to. A message that cannot be delivered is dropped and counted; if a queue is full, the
// oldest message in it is dropped. If the host is lossless, Send waits for room instead,
// and an undeliverable message is an error. Queues empty only while the neighbours read
// their inboxes, so two peers that send more than the queues hold must read while they
// send, or they block each other. A message that has no frame yet gets one; see
// [protocol.Message.Frame]. Send is not safe for concurrent use.
func (h *Host) Send(ctx context.Context, es []protocol.Envelope) error {
	for i := range es {
		if h.work.Err() != nil {
			return h.Err()
		}
		if err := h.send(ctx, es[i].To, es[i].Message.Frame()); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) send(ctx context.Context, to protocol.Peer, frame string) error {
	if to == protocol.Everyone && h.topic != nil {
		h.checkpointDue()
		return h.topic.publish(ctx, []byte(frame))
	}
	if int64(to) >= int64(len(h.members)) || h.neighbours[to] == nil {
		return h.cannot("message to peer %d, which is no neighbour", to)
	}
	l := h.neighbours[to]
	if len(frame) > protocol.MaxFrame {
		l.dropped.Add(1)
		return h.cannot("message of %d bytes to peer %d, at most %d", len(frame), to, protocol.MaxFrame)
	}
	if h.cfg.Lossless {
		return l.put(ctx, parcel{frame, h.checkpoint.Load()})
	}
	l.push(parcel{frame, h.checkpoint.Load()})
	return nil
}

// push queues a message, and drops the oldest one if the queue is full.
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
	case <-l.all.work.Done():
		return l.all.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
