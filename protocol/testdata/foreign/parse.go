// A release from bytes of one's own, as off the disk.
package foreign

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

func parse(b []byte) (dp.Release, error) { return protocol.ParseRelease(b) }

// as vouch.Value[[]byte] value in argument to protocol.ParseRelease
