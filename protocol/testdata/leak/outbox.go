// A message put into an Outbox from outside the package.
package leak

import "peerd.dev/protocol"

func leak(o *protocol.Outbox, m protocol.Message) {
	o.send(0, &m)
}

// o.send undefined (cannot refer to unexported method send)
