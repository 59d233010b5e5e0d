// A message inside something that says more.
package leak

import "peerd.dev/protocol"

type talkative struct {
	protocol.Message
	reward float64
}

func leak(reward float64) protocol.Envelope {
	return protocol.Envelope{Message: talkative{reward: reward}}
}

// cannot use talkative{…} (value of struct type talkative) as protocol.Message value in struct literal
