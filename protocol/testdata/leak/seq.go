// A reward in a sequence number.
package leak

import (
	"math"

	"peerd.dev/protocol"
)

func leak(reward float64) protocol.Message {
	return protocol.Message{label: protocol.Label{Seq: math.Float64bits(reward)}}
}

// unknown field label in struct literal of type protocol.Message
