// A release from the bytes that a protocol has saved itself, after a restart.
package foreign

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

type peer struct{ protocol.Protocol }

func (peer) parse(saved protocol.State) (dp.Release, error) { return protocol.ParseRelease(saved) }

// cannot use saved (variable of struct type protocol.State) as vouch.Value[[]byte] value in argument to protocol.ParseRelease
