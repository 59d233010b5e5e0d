// A reward in the place of the release that a press seals.
package leak

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

func leak(p protocol.Press, reward float64) (dp.Sealed, error) {
	return p.Seal(0, reward)
}

// cannot use reward (variable of type float64) as dp.Release value in argument to p.Seal
