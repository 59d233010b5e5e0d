package batches

import "peerd.dev/protocol"

// Tick sends a silo's report or request; at the analyzer it sends the answers.
func (x *analyzed) Tick(t protocol.Round, out *protocol.Outbox) error {
	x.round = t + 1
	if x.hub.Here() {
		return x.answer(out)
	}
	if x.hub.Reached() {
		x.ask(out)
	}
	return nil
}

// Receive processes reports and sums.
func (x *analyzed) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	if !x.hub.Linked(from) {
		return m.Refuse("from peer %d, want a neighbour on the way to or from the analyzer", from)
	}
	switch m.Kind() {
	case batchReport:
		return x.serve(from, m, out)
	case batchOthers:
		return x.take(from, m, out)
	default:
		return m.Refuse("unknown with an analyzer")
	}
}
