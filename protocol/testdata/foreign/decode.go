// A message from a frame of one's own.
package foreign

import (
	"peerd.dev/protocol"
)

func decode(frame []byte) (protocol.Message, error) { return protocol.Decode(frame) }

// as vouch.Value[[]byte] value in argument to protocol.Decode
