// A message from a press of one's own.
package leak

import "peerd.dev/protocol"

func leak(k protocol.Kind, reward uint64) protocol.Message {
	p := protocol.Press{press: nil}
	return p.Message(protocol.Content{Kind: k, Label: protocol.Label{Seq: reward}})
}

// cannot refer to unexported field press in struct literal of type protocol.Press
