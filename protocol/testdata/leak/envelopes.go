// An Outbox filled by hand.
package leak

import "peerd.dev/protocol"

func leak(m protocol.Message) protocol.Outbox {
	return protocol.Outbox{envelopes: []protocol.Envelope{{Message: m}}}
}

// cannot refer to unexported field envelopes in struct literal of type protocol.Outbox
