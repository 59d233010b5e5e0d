// The bytes of a saved state of a protocol of peerd, to change them.
package foreign

import "peerd.dev/protocol"

func inside(s protocol.State) ([]byte, error) { return protocol.Inside(s) }

// as vouch.Value[protocol.State] value in argument to protocol.Inside
