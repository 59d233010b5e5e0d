// A reward in the kind of a message.
package leak

import "peerd.dev/protocol"

func leak(reward uint8) protocol.Message {
	return protocol.Message{kind: protocol.Kind(reward)}
}

// cannot refer to unexported field kind in struct literal of type protocol.Message
