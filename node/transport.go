package node

import (
	"context"

	"peerd.dev/protocol"
)

// A Transport carries messages between neighbours. It may lose, delay, reorder
// and repeat them, unless it promises not to.
type Transport interface {
	// Send takes the messages of a step, in order. It returns once they are queued. An error
	// means that the transport cannot be used any more; a message that cannot be delivered is not
	// an error.
	Send(ctx context.Context, es []protocol.Envelope) error
	// Inbox delivers what arrives.
	Inbox() <-chan protocol.Delivery
}
