// A message that is changed after it was signed.
package foreign

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

func change(r dp.Release, m protocol.Message) { r.CopyTo(m.Release(0)) }

// as vouch.Value[*dp.Release] value in argument to r.CopyTo
