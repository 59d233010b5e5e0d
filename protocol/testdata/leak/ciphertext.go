// Bytes that a peer's keys have sealed, as a sealed release in a message.
package leak

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

func leak(k protocol.Keys, reward []byte) protocol.Content {
	b, _ := k.Seal(0, reward)
	return protocol.Content{Sealed: []dp.Sealed{b}}
}

// cannot use b (variable of type []byte) as dp.Sealed value in array or slice literal
