package protocol

import (
	"cmp"
	"slices"
)

// An Envelope is a message with an address.
type Envelope struct {
	To      Peer
	Message Message
}

// A Delivery is a message that arrived over the link from a peer.
type Delivery struct {
	From    Peer
	Message Message
}

// An Outbox collects the messages of a step.
type Outbox struct {
	envelopes  []Envelope
	accusation error
}

// Envelopes returns the messages in the order of sending. The slice is valid until the
// next Reset.
func (o *Outbox) Envelopes() []Envelope { return o.envelopes }

// Reset empties the Outbox.
func (o *Outbox) Reset() { o.envelopes = o.envelopes[:0] }

// Accuse records what an accepted message proves against a peer.
func (o *Outbox) Accuse(err error) { o.accusation = err }

// Accusation returns what the newest accepted message proves against a peer, and clears it; nil for
// nothing.
func (o *Outbox) Accusation() error {
	err := o.accusation
	o.accusation = nil
	return err
}

// Send adds a message to a peer, or to Everyone.
func (o *Outbox) Send(to Peer, m Message) {
	o.envelopes = append(o.envelopes, Envelope{to, m})
}

// Sort orders the deliveries of a round as an agent receives them: by kind, origin, incarnation,
// stream, number and, for copies of one message, sender.
func Sort(ds []Delivery) {
	if !slices.IsSortedFunc(ds, order) {
		slices.SortStableFunc(ds, order)
	}
}

func order(a, b Delivery) int {
	x, y := a.Message.message, b.Message.message
	switch {
	case x.kind != y.kind:
		return cmp.Compare(x.kind, y.kind)
	case x.label.Origin != y.label.Origin:
		return cmp.Compare(x.label.Origin, y.label.Origin)
	case x.label.Incarnation != y.label.Incarnation:
		return cmp.Compare(x.label.Incarnation, y.label.Incarnation)
	case x.label.Stream != y.label.Stream:
		return cmp.Compare(x.label.Stream, y.label.Stream)
	case x.label.Seq != y.label.Seq:
		return cmp.Compare(x.label.Seq, y.label.Seq)
	}
	return cmp.Compare(a.From, b.From)
}
