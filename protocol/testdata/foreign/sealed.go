// Sealed bytes of one's own.
package foreign

import (
	"peerd.dev/dp"
)

func seal(reward []byte) (dp.Sealed, error) { return dp.ReceivedSealed(reward) }

// as vouch.Value[[]byte] value in argument to dp.ReceivedSealed
