// A reward in the place of a message's content.
package leak

import "peerd.dev/protocol"

func leak(m protocol.Message, reward *uint64) {
	m.message = reward
}

// m.message undefined (cannot refer to unexported field message)
