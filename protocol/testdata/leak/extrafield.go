// A message with one field more.
package leak

import "peerd.dev/protocol"

func leak(reward float64) protocol.Message {
	return protocol.Message{Note: reward}
}

// unknown field Note in struct literal of type protocol.Message
