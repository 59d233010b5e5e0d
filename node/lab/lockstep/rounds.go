package lockstep

import (
	"context"
	"fmt"

	"peerd.dev/protocol"
)

// rounds sorts arriving messages into rounds. A neighbour can be one round ahead: it may already
// have the round ends for which this peer still waits.
type rounds struct {
	from map[protocol.Peer]*arrivals
}

// arrivals are the messages of one neighbour.
type arrivals struct {
	open  []protocol.Delivery   // of the round that is arriving
	round protocol.Round        // its number
	done  [][]protocol.Delivery // complete rounds, oldest first
}

func newRounds(neighbours []protocol.Peer) *rounds {
	l := &rounds{from: make(map[protocol.Peer]*arrivals, len(neighbours))}
	for _, p := range neighbours {
		l.from[p] = &arrivals{}
	}
	return l
}

// add sorts in one delivery. An error means that the link lost or invented a message, which ends
// lockstep.
func (l *rounds) add(d protocol.Delivery) error {
	k, ok := l.from[d.From]
	if !ok {
		return fmt.Errorf("lockstep: a message from peer %d, who is no neighbour", d.From)
	}
	n, ok := d.Message.IsRoundEnd()
	if !ok {
		k.open = append(k.open, d)
		return nil
	}
	if d.Message.Round() != k.round || n != uint64(len(k.open)) {
		return fmt.Errorf("lockstep: peer %d ended round %d with %d messages, want round %d with %d",
			d.From, d.Message.Round(), n, k.round, len(k.open))
	}
	k.done = append(k.done, k.open)
	k.open = nil
	k.round++
	return nil
}

// take returns the oldest round of every neighbour once all have one.
func (l *rounds) take(neighbours []protocol.Peer) ([]protocol.Delivery, bool) {
	for _, k := range l.from {
		if len(k.done) == 0 {
			return nil, false
		}
	}
	var in []protocol.Delivery
	for _, p := range neighbours {
		k := l.from[p]
		in = append(in, k.done[0]...)
		k.done = k.done[1:]
	}
	return in, true
}

// gather returns the messages of round t-1 once all neighbours have ended it.
func (n *Node) gather(ctx context.Context, l *rounds, t protocol.Round) ([]protocol.Delivery, error) {
	if t == 0 {
		return nil, nil
	}
	for {
		if in, ok := l.take(n.c.Neighbours); ok {
			return in, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case q := <-n.asks:
			q <- n.snapshot()
		case d := <-n.c.Transport.Inbox():
			if err := l.add(d); err != nil {
				return nil, err
			}
		}
	}
}
