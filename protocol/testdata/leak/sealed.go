// Raw bytes that pose as sealed ones.
package leak

import "peerd.dev/dp"

func leak(reward []byte) dp.Sealed {
	return dp.Sealed{b: reward}
}

// cannot refer to unexported field b in struct literal of type dp.Sealed
