// A reward in the bytes that a message keeps.
package leak

import "peerd.dev/protocol"

func leak(m protocol.Message, reward byte) {
	m.Frame()[0] = reward
}

// cannot assign to m.Frame()[0] (neither addressable nor a map index expression)
